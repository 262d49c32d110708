// The gate script as a real program: what it is given, what its answers mean, and one that gives none.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { askGate } from '../../../../lib/hosted/index.js'
import { newDirectory } from '../../../support/machine/directories.js'
import '../../../support/run/programs.js'

const question = {
  ...{ identity: 'ann@shop.example', orchestrator: 'local', sponsored: 2, needed: { dbu: 4, apu: 1 } },
  pool: {
    known: true,
    ...{ usableDbu: 16, plannedDbu: 8, freeDbu: 7.5, usableApu: 16, plannedApu: 2, freeApu: 6.25 },
    ...{ borrowDbu: 3, borrowApu: 2.5 },
  },
}

describe('askGate', () => {
  const folder = newDirectory('gate')
  const { signal } = new AbortController()
  let count = 0
  const scriptOf = (lines: string): string => {
    const file = path.join(folder, `gate${count++}`)
    writeFileSync(file, `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
    return file
  }
  const ask = (script: string, more: object = {}) => askGate(script, question, { signal, ...more })

  it('is open without a script, and where the script ends with 0, whatever it prints', async () => {
    expect(await ask('')).to.deep.equal({ type: 'open' })
    expect(await ask(scriptOf('echo no; exit 0'))).to.deep.equal({ type: 'open' })
  })

  it('gives identity and orchestrator as arguments, and nine variables with two decimals', async () => {
    const script = scriptOf('echo "$# $1 $2 $(env | grep ^REPMAN_ | sort | tr "\\n" " ")"; exit 1')
    expect(await ask(script)).to.deep.equal({
      type: 'refused',
      reason: [
        '2 ann@shop.example local REPMAN_BORROW_APU=2.50 REPMAN_BORROW_DBU=3.00 REPMAN_FREE_APU=6.25',
        'REPMAN_FREE_DBU=7.50 REPMAN_IDENTITY=ann@shop.example REPMAN_NEEDED_APU=1.00 REPMAN_NEEDED_DBU=4.00',
        'REPMAN_ORCHESTRATOR=local REPMAN_SPONSORED_CLUSTERS=2',
      ].join(' '),
    })
  })

  it('passes nothing else of the environment of the manager', async () => {
    process.env.SECRET_OF_THE_MANAGER = 'x'
    const script = scriptOf('env | grep -c SECRET_OF_THE_MANAGER; exit 1')
    expect(await ask(script)).to.deep.equal({ type: 'refused', reason: '0' })
    delete process.env.SECRET_OF_THE_MANAGER
  })

  it('takes the first line as the reason, without control characters and cut, and the status without one', async () => {
    expect(await ask(scriptOf('echo "no credit"; echo more; exit 3'))).to.include({ reason: 'no credit' })
    expect(await ask(scriptOf('printf "a\\033[31mb\\n"; exit 1'))).to.include({ reason: 'a [31mb' })
    const long = await ask(scriptOf('printf "%0999d\\n" 0; exit 1'))
    expect(long.type === 'open' ? 0 : long.reason.length).to.equal(300)
    expect(await ask(scriptOf('exit 7'))).to.include({ reason: 'the gate script refused with status 7' })
  })

  it('is not answered by a script that is missing, is killed, or takes too long', async () => {
    const unanswered = { type: 'unanswered', reason: 'the gate script gave no answer' }
    expect(await ask(path.join(folder, 'missing'))).to.deep.equal(unanswered)
    expect(await ask(scriptOf('kill -KILL $$'))).to.deep.equal(unanswered)
    expect(await ask(scriptOf('sleep 600'), { answerMs: 50 })).to.deep.equal(unanswered)
    const ended = new AbortController()
    ended.abort()
    expect(await ask(scriptOf('exit 0'), { signal: ended.signal })).to.deep.equal(unanswered)
  })
})
