// The packages installed and run. With a commit: the tree of a release runs outside of the checkout. In a soak: the artefacts of two
// builds are compared; the Debian package is installed, run, upgraded, removed and purged on a root of its own; the npm package runs by npx.
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { readLockFile } from '../../bin/artefact/lock-file.js'
import { settleTree, stagePackages, stageTree } from '../../bin/artefact/tree.js'
import { packageRoot, packageVersion, sharePath, versionText } from '../../lib/base/package-root.js'
import { MINUTE } from '../../lib/base/time.js'
import { HostRoot, whyNoHosts } from '../support/hosts/host-root.js'
import { newDirectory } from '../support/machine/directories.js'
import { daemon } from '../support/manager/daemon-run.js'
import { isSoak } from '../support/run/soak.js'

const execute = promisify(execFile)

const run = async (program: string, words: readonly string[], cwd?: string) =>
  (await execute(program, [...words], { timeout: 10 * MINUTE, ...(cwd === undefined ? {} : { cwd }) })).stdout

const at = 1_790_000_000

describe('the tree of a release', () => {
  it('runs outside of the checkout: version, check, a rule set, and the client', async () => {
    const tree = path.join(newDirectory('release'), 'manager')
    const lock = await readLockFile()
    await stageTree(tree, lock)
    await stagePackages(tree, lock)
    await settleTree(tree, at)
    const program = path.join(tree, 'bin/manager')
    expect(await run(program, ['--version'], '/')).to.equal(`${versionText()}\n`)
    expect(await run(path.join(tree, 'bin/manager-cli'), ['--version'], '/')).to.equal(`${versionText()}\n`)
    expect(await run(program, ['configurator', 'check'], '/')).to.contain('are sound')
    const config = path.join(path.dirname(tree), 'config.toml')
    copyFileSync(path.join(packageRoot, 'share/package/config.toml'), config)
    expect(await run(program, ['check', '--config', config], '/')).to.contain('valid: 0 errors')
    expect(statSync(path.join(tree, 'package.json')).mtimeMs).to.equal(at * 1_000)
    expect(existsSync(path.join(tree, 'share/package'))).to.equal(false)
    // Nothing that only the checkout has is named in it.
    expect(readFileSync(path.join(tree, 'package.json'), 'utf8')).not.to.match(/devDependencies|scripts/)
    expect(daemon).to.equal(path.join(packageRoot, 'bin/manager'))
  })
})

/** The first example of the page about it. */
const [, example = ''] =
  /```ts\n([\s\S]*?)```/.exec(readFileSync(sharePath('doc', 'typescript-client.md'), 'utf8')) ?? []

describe('the client of a release', () => {
  it('is imported by the program of its page, which does not compile with a wrong address or field', async () => {
    const site = newDirectory('site')
    const tree = path.join(site, 'node_modules/manager')
    await stageTree(tree, await readLockFile())
    writeFileSync(path.join(site, 'package.json'), '{"name":"site","private":true,"type":"module"}')
    const program = example.replace('https://manager.example:10005', 'http://127.0.0.1:1')
    writeFileSync(path.join(site, 'good.ts'), program)
    writeFileSync(path.join(site, 'path.ts'), program.replace('topology/servers', 'topology/server'))
    writeFileSync(path.join(site, 'field.ts'), program.replace('.operation.id', '.operation.number'))
    const words = ['--strict', '--target', 'ES2023', '--module', 'NodeNext', '--types', '', '--outDir', 'out']
    const compile = (file: string) => run(path.join(packageRoot, 'node_modules/.bin/tsc'), [...words, file], site)
    await compile('good.ts')
    const stopped = await run(process.execPath, ['out/good.js'], site).catch(String)
    expect(stopped).to.contain('Error: unreachable: The manager is not reachable.')
    for (const [file, code] of [
      ['path.ts', 'TS2345'],
      ['field.ts', 'TS2339'],
    ] as const) {
      const refused = await compile(file).catch((error: { readonly stdout: string }) => error.stdout)
      expect(refused, file).to.contain(code)
    }
  })
})

if (isSoak)
  describe('the artefacts of a release', function () {
    this.timeout(30 * MINUTE)
    const out = newDirectory('artefacts')
    const [first, second] = [path.join(out, 'first'), path.join(out, 'second')]
    const debian = path.join(first, `manager_${packageVersion}_all.deb`)
    let host: HostRoot

    before(async () => {
      for (const folder of [first, second])
        await execute(process.execPath, [path.join(packageRoot, 'dist/bin/release.js'), '--out', folder], {
          env: { ...process.env, SOURCE_DATE_EPOCH: String(at) },
          timeout: 10 * MINUTE,
        })
      const missing = await whyNoHosts()
      if (missing !== undefined) throw new Error(missing)
      host = await HostRoot.create()
      await host.outputOf('mkdir -p /artefacts')
      for (const name of readdirSync(first)) host.write(`/artefacts/${name}`, '')
      for (const name of readdirSync(first)) copyFileSync(path.join(first, name), host.at(`/artefacts/${name}`))
    })

    after(() => host?.end())

    it('are equal in two builds', () => {
      expect(readFileSync(path.join(second, 'SHA256SUMS'), 'utf8')).to.equal(
        readFileSync(path.join(first, 'SHA256SUMS'), 'utf8'),
      )
    })

    it('the Debian package is installed twice, runs as its user, is removed and purged', async () => {
      const install = `dpkg --force-confold -i /artefacts/${path.basename(debian)}`
      expect(await host.outputOf(install)).to.contain('not started yet')
      expect(
        await host.outputOf(
          'stat -c "%U:%G %a" /etc/manager /etc/manager/config.toml /etc/manager/.manager.key /var/lib/manager',
        ),
      ).to.equal('root:manager 750\nroot:manager 640\nmanager:manager 600\nmanager:manager 750')
      const key = host.read('/etc/manager/.manager.key')
      await host.outputOf('echo "# edited" >>/etc/manager/config.toml')
      await host.outputOf(install)
      expect(host.read('/etc/manager/config.toml')).to.contain('# edited')
      expect(host.read('/etc/manager/.manager.key')).to.equal(key)
      expect(await host.outputOf('manager --version')).to.equal(versionText())
      expect(await host.outputOf('man -w manager manager-cli | wc -l')).to.equal('2')
      expect(
        await host.outputOf('bash -nO extglob /usr/share/bash-completion/completions/manager-cli && echo sound'),
      ).to.equal('sound')
      expect(await host.outputOf('dpkg --verify manager || true')).to.match(/^(\S+ +c \/etc\/manager\/config\.toml)?$/)
      // Without an init system: started by hand, as the user of the package.
      const life = await host.outputOf(
        `cd /; setpriv --reuid manager --regid manager --clear-groups env HOME=/var/lib/manager manager monitor --config /etc/manager/config.toml --api-port=0 --http-port=0 >/tmp/log 2>&1 &
         for turn in $(seq 600); do grep -q manager-started /tmp/log && break; sleep 0.1; done
         stat -c %U /var/lib/manager/format.json
         kill -TERM $!; wait $!; echo "status $?"; cat /tmp/log`,
      )
      expect(life)
        .to.match(/^manager\nstatus 0\n/)
        .and.contain('manager-started')
      await host.outputOf('dpkg -r manager')
      expect([
        host.exists('/usr/bin/manager'),
        host.exists('/var/lib/manager/format.json'),
        host.exists('/etc/manager/config.toml'),
      ]).to.deep.equal([false, true, true])
      await host.outputOf('dpkg -P manager')
      expect([host.exists('/var/lib/manager'), host.exists('/etc/manager')]).to.deep.equal([false, false])
    })

    it('the unit is valid, and forbids what the manager does not need', async () => {
      const unit = path.join(newDirectory('unit'), 'manager.service')
      const text = readFileSync(path.join(packageRoot, 'share/package/systemd/manager.service'), 'utf8')
      writeFileSync(unit, text.replaceAll('/usr/bin/manager', daemon).replace(/^Documentation=.*\n/m, ''))
      await run('systemd-analyze', ['verify', unit])
      expect(await run('systemd-analyze', ['security', '--offline=true', '--threshold=25', unit])).to.contain(
        'Overall exposure level',
      )
    })

    it('the offline bundle runs where it is unpacked', async () => {
      await host.outputOf(`tar -C /opt -xzf /artefacts/manager-${packageVersion}-offline.tar.gz`)
      expect(await host.outputOf(`/opt/manager-${packageVersion}/bin/manager version`)).to.equal(versionText())
    })

    it('the npm package is installed and run by npx', async () => {
      const folder = newDirectory('npm')
      writeFileSync(path.join(folder, 'package.json'), '{"name":"site","private":true}')
      mkdirSync(path.join(folder, 'empty'))
      const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
      await run('npm', [...words, path.join(first, `manager-${packageVersion}.tgz`)], folder)
      expect(await run('npx', ['--no-install', 'manager', '--version'], folder)).to.equal(`${versionText()}\n`)
      expect(await run('npx', ['--no-install', 'manager-cli', '--version'], folder)).to.equal(`${versionText()}\n`)
    })
  })
