// The job script on hosts with other tools: the shell and the applets of busybox alone, and a client that the spec stands in for.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { readJobScript } from '../../../../lib/backup/hosts/script.js'
import { sharePath } from '../../../../lib/base/package-root.js'
import { unwrap } from '../../../../lib/base/result.js'
import { newDirectory } from '../../../support/machine/directories.js'

const exec = promisify(execFile)
const busybox = '/bin/busybox'
const shells = [
  { name: 'the shell of this machine', shell: ['/bin/sh'], applets: false },
  { name: 'busybox', shell: [busybox, 'sh'], applets: true },
]

for (const { name, shell, applets } of shells)
  describe(`the job script with ${name}`, () => {
    const root = newDirectory('job-script')
    const programs = path.join(root, 'bin')
    const log = path.join(root, 'error.log')
    let script = ''
    before(async function () {
      if (applets && !existsSync(busybox)) return this.skip()
      mkdirSync(programs)
      mkdirSync(path.join(root, 'data'))
      mkdirSync(path.join(root, 'tmp'))
      writeFileSync(path.join(root, 'my.cnf'), '[mysqld]\n')
      if (applets) await exec(busybox, ['--install', '-s', programs])
      // A database that says where its error log is, and opens it again.
      const client = `#!/bin/sh\ntext=$(cat)\ncase $text in *@@log_error*) echo '${log}' ;; *FLUSH*) : >'${log}' ;; esac\n`
      writeFileSync(path.join(programs, 'mariadb'), client, { mode: 0o755 })
      script = unwrap(await readJobScript())
    })

    const run = (task: string) => {
      const [file = '', ...args] = shell
      const child = exec(file, args, {
        env: {
          ...{ PATH: applets ? programs : `${programs}:${process.env.PATH}`, TMPDIR: path.join(root, 'tmp') },
          ...{ MANAGER_CONF_DIR: root, MANAGER_DATADIR: path.join(root, 'data'), MANAGER_JOBS_MODE: 'direct' },
          MANAGER_JOB: `7|${task}|0||deadline=60`,
        },
      })
      child.child.stdin?.end(script)
      return child
    }

    it('says what it works with, and how the task ended', async () => {
      const { stdout } = await run('jobs-check')
      expect(stdout).to.contain('@manager state 1\n')
      expect(stdout).to.contain('tasks: jobs-check mariabackup')
      expect(stdout).to.match(/@manager state 3 \n$/)
    })

    it('sends a log of any bytes whole, and keeps it for a while', async () => {
      const bytes = Buffer.concat([
        Buffer.from('first\n'),
        Buffer.from([0xff, 0x00, 0x80, 0x0a]),
        Buffer.alloc(5_000, 'x\n'),
      ])
      writeFileSync(log, bytes)
      const { stdout } = await run('errorlog')
      const sent = stdout.split('\n').filter((line) => line.startsWith('@log '))
      expect(Buffer.concat(sent.map((line) => Buffer.from(line.slice(5), 'base64'))).equals(bytes)).to.equal(true)
      expect(readFileSync(log, 'utf8')).to.equal('')
      const kept = readdirSync(root).filter((file) => /^error\.log-\d{8}$/.test(file))
      expect(kept).to.have.lengthOf(1)
      expect(readFileSync(path.join(root, kept[0] ?? '')).equals(bytes)).to.equal(true)
    })

    it('sends as many lines at once as the order says', async () => {
      const [file = '', ...args] = shell
      const job = path.join(root, `batches-${applets}`)
      mkdirSync(job)
      writeFileSync(path.join(job, 'out'), 'one\ntwo\nthree\nfour\nfive\n')
      writeFileSync(path.join(job, 'ended'), '')
      const parts = ['base', 'channel'].map((name) => readFileSync(sharePath(`scripts/jobs/${name}.sh`), 'utf8'))
      const text = [
        ...['conf=/nowhere', ...parts, `job=${job} out=${job}/out task=logs`, 'choose_client() { :; }'],
        'ship_batch() { printf "%s|" $1; echo; }',
        "payload='batch=2 token=t url=https://m cluster=c host=h hostport=1'",
        'reach_manager; ship_output',
      ].join('\n')
      const { stdout } = await exec(file, [...args, '-c', text], {
        env: { PATH: applets ? programs : (process.env.PATH ?? '') },
      })
      expect(stdout.trim().split('\n')).to.deep.equal(['one|two|', 'three|four|', 'five|'])
    })

    it('lets the server go before the programs of a task', async function () {
      if (applets && !existsSync(path.join(programs, 'nice'))) return this.skip()
      const [file = '', ...args] = shell
      const text = `conf=/nowhere\n${readFileSync(sharePath('scripts/jobs/base.sh'), 'utf8')}\nends_at=$(($(date +%s) + 60))\nnice\nbounded nice\n`
      const env = { PATH: applets ? programs : (process.env.PATH ?? '') }
      const { stdout } = await exec(file, [...args, '-c', text], { env })
      const [own = Number.NaN, lowered] = stdout.trim().split('\n').map(Number)
      expect(lowered).to.equal(Math.min(19, own + 10))
    })
  })
