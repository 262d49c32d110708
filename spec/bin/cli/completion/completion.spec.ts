// The scripts of the shells, run by the shells themselves: commands, verbs, flags, choices, files and live names.
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { renderCompletion, type Shell, shells } from '../../../../bin/cli/completion/completion.js'
import { shownCommands } from '../../../../bin/cli/completion/word-tree.js'
import { createProgram } from '../../../../bin/cli/program.js'
import { rowCommands } from '../../../../bin/cli/row/row-commands.js'
import { newDirectory } from '../../../support/machine/directories.js'

const run = promisify(execFile)
const program = createProgram(rowCommands)

/** Stands in for the client where a script asks for live names: prints them, and writes down what it was asked. */
const standIn = `#!/bin/sh
printf '%s\\n' "$* \${MANAGER_CLUSTER_NAME:-any} \${MANAGER_PORT:-usual}" >>"$ASKED"
case "$2" in server) printf 'db1:3306\\ndb2:3306\\n' ;; cluster) echo shop ;; setting) echo failover-limit ;; value) printf 'manual\\nautomatic\\n' ;; esac
`

/** What runs the script of a shell and prints what it offers for the last of the words. */
const drivers: Readonly<Record<Shell, (script: string, words: readonly string[]) => readonly string[]>> = {
  bash: (script, words) => [
    'bash',
    '--norc',
    '-c',
    `source ${script}; COMP_LINE='${words.join(' ')}'; COMP_POINT=\${#COMP_LINE}
     _manager_cli '${words[0]}' 2>&1; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (script, words) => [
    'zsh',
    '-f',
    '-c',
    `compdef() { :; }; _files() { print -l -- ${words.at(-1)}*; }
     compadd() { local word; shift; for word in "$@"; do [[ $word = '${words.at(-1)}'* ]] && print -r -- $word; done; }
     source ${script}; words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=$#words; _manager_cli; true`,
  ],
  fish: (script, words) => ['fish', '-N', '-c', `source ${script}; complete -C '${words.join(' ')}'`],
}

describe('renderCompletion', () => {
  const folder = newDirectory('completion')
  const asked = path.join(folder, 'asked')
  const client = path.join(folder, 'bin', 'manager-cli')
  before(() => {
    for (const shell of shells) writeFileSync(path.join(folder, shell), renderCompletion(shell, program))
    mkdirSync(path.dirname(client))
    writeFileSync(client, standIn)
    chmodSync(client, 0o755)
    writeFileSync(path.join(folder, 'ca.pem'), '')
  })
  beforeEach(() => writeFileSync(asked, ''))

  for (const shell of shells)
    describe(`in ${shell}`, () => {
      /** What fish shows of a word comes after a tab. */
      const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
        const [file = '', ...rest] = drivers[shell](path.join(folder, shell), [client, ...words])
        const env = { ...process.env, ASKED: asked, HOME: folder, XDG_CONFIG_HOME: folder, MANAGER_PORT: '' }
        const line = shell === 'fish' ? rest.map((each) => each.replaceAll(client, 'manager-cli')) : rest
        const place = { cwd: folder, env: { ...env, PATH: `${path.dirname(client)}:${process.env.PATH}` } }
        const { stdout } = await run(file, line, place)
        const lines = stdout.split('\n').map((each) => each.split('\t', 1)[0] ?? '')
        // Where nothing begins so, fish offers what holds it somewhere.
        const last = words.at(-1) ?? ''
        return lines.filter((word) => word !== '' && (shell !== 'fish' || word.startsWith(last)))
      }

      it('completes commands and nouns, also behind flags', async () => {
        expect(await offered('to')).to.have.members(['topology', 'token'])
        expect(await offered('--port', '1', 'sw')).to.deep.equal(['switchover'])
        expect(await offered('')).to.include.members(shownCommands(program).map((command) => command.name()))
      })

      it('completes verbs of a noun, and flags of a verb with those of all', async () => {
        expect(await offered('server', 'st')).to.include.members(['start', 'stop', 'status', 'start-slave'])
        expect(await offered('server', 'stop', 'db1', '--')).to.include.members(['--force', '--yes', '--output'])
        expect(await offered('switchover', '--pl')).to.deep.equal(['--plan'])
        expect(await offered('topology', '--pl')).to.deep.equal([])
        expect(await offered('drift', 'acc')).to.deep.equal(['accept'])
      })

      it('takes the value of a flag for no command', async () => {
        expect(await offered('--cluster', 'switchover', '--pla')).to.deep.equal([])
        expect(await offered('--cluster', 'switchover', 'expl')).to.deep.equal(['explain'])
        expect(await offered('tag', 'add', '--proxy', 'x', '--rep')).to.deep.equal(['--replace'])
      })

      it('completes choices and files', async () => {
        expect(await offered('topology', '--output', 'j')).to.deep.equal(['json'])
        expect(await offered('completion', 'z')).to.deep.equal(['zsh'])
        expect(await offered('--cacert', 'ca')).to.deep.equal(['ca.pem'])
        expect(await offered('wait', '--for', 'pri')).to.deep.equal(['primary='])
      })

      it('offers nothing where only its user knows', async () => {
        expect(await offered('--password', '')).to.deep.equal([])
      })

      it('asks the client for names, of the manager and cluster of the line', async () => {
        expect(await offered('--port', '7', 'server', 'stop', '--cluster', 'shop', 'db')).to.have.lengthOf(2)
        expect(await offered('setting', 'set', 'fail')).to.deep.equal(['failover-limit'])
        expect(await offered('topology', '--cluster', 's')).to.deep.equal(['shop'])
        expect(await offered('setting', 'set', 'failover-mode', 'au')).to.deep.equal(['automatic'])
        expect(readFileSync(asked, 'utf8').trim().split('\n')).to.deep.equal([
          'names server shop 7',
          'names setting any usual',
          'names cluster any usual',
          'names value -- failover-mode any usual',
        ])
      })

      it('goes on behind the colon of an address', async () => {
        expect(await offered('server', 'stop', 'db1:33')).to.deep.equal([shell === 'bash' ? '3306' : 'db1:3306'])
      })
    })
})
