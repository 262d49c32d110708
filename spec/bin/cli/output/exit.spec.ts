import { expect } from 'chai'
import { EXIT, exitOfCode, exitOfFailure, exitOfReply, exitTexts } from '../../../../bin/cli/output/exit.js'
import { type FailureCode, failures } from '../../../../lib/base/failures.js'

describe('EXIT', () => {
  it('has a meaning for every status, and one status for each', () => {
    expect(exitTexts.map(([status]) => status)).to.have.members(Object.values(EXIT))
    expect(new Set(Object.values(EXIT)).size).to.equal(Object.values(EXIT).length)
  })
})

describe('exitOfCode', () => {
  it('never calls a failure done or interrupted', () => {
    for (const code of Object.keys(failures) as FailureCode[])
      expect(exitOfCode(code), code).not.to.be.oneOf([EXIT.ok, EXIT.interrupted])
  })

  it('is one status for whatever is unknown, and one for whatever exists already', () => {
    for (const code of Object.keys(failures) as FailureCode[]) {
      if (/^unknown-(?!topology)/.test(code)) expect(exitOfCode(code), code).to.equal(EXIT.notFound)
      if (/^(cluster|server|user)-exists$/.test(code)) expect(exitOfCode(code), code).to.equal(EXIT.conflict)
    }
  })

  for (const [code, status] of [
    ['vetoed', EXIT.refused],
    ['observing', EXIT.refused],
    ['other-manager', EXIT.refused],
    ['plan-needed', EXIT.refused],
    ['backup-refused', EXIT.refused],
    ['changed-elsewhere', EXIT.conflict],
    ['rolled-back', EXIT.undone],
    ['operation-running', EXIT.conflict],
    ['no-grant', EXIT.login],
    ['unreachable', EXIT.unreachable],
    ['internal', EXIT.error],
  ] as const)
    it(`is ${status} for ${code}`, () => {
      expect(exitOfFailure({ code, message: 'why' })).to.deep.include({ status, message: 'why' })
    })
})

describe('exitOfReply', () => {
  const reply = (status: number, body: string, type = 'text/plain') => ({
    status,
    body,
    headers: { 'content-type': type },
  })
  const problem = (status: number, body: object) => reply(status, JSON.stringify(body), 'application/problem+json')

  it('goes by the code of a problem, whatever its status, and prints detail and hint', () => {
    const exit = exitOfReply(problem(500, { code: 'unknown-cluster', title: 't', detail: 'no moon', hint: 'look' }))
    const hint = 'List the clusters with `manager-cli fleet`.'
    expect(exit).to.deep.include({ status: EXIT.notFound, message: `no moon\n${hint}` })
  })

  it('prints the hint of a manager whose code is not known', () => {
    const exit = exitOfReply(problem(409, { code: 'from-the-future', detail: 'no', hint: 'look' }))
    expect(exit.message).to.equal('no\nlook')
  })

  it('calls fields of the request what the command line calls them', () => {
    const names = { username: '<username>', roles: '--roles', force: '--force' }
    const detail = 'username: has a blank; roles: dba is none, or use force=true; other: stays, older=true'
    expect(exitOfReply(problem(400, { code: 'bad-request', detail }), names).message).to.equal(
      '<username>: has a blank; --roles: dba is none, or use --force; other: stays, older=true\n' +
        'Correct the option or argument that is named; --help of the command shows each.',
    )
  })

  it('goes by the status where the code is not known, as of a newer manager', () => {
    expect(exitOfReply(problem(409, { code: 'from-the-future', title: 'Busy' }))).to.deep.include({
      status: EXIT.conflict,
      message: 'Busy',
    })
  })

  it('prints the first line of a text, and the status of an empty one', () => {
    expect(exitOfReply(reply(403, 'No valid ACL\nmore'))).to.deep.include({
      status: EXIT.login,
      message: 'No valid ACL',
    })
    expect(exitOfReply(reply(502, ''))).to.deep.include({ status: EXIT.error, message: 'HTTP 502' })
  })

  it('reads a broken problem as text', () => {
    expect(exitOfReply(reply(504, '{"code":', 'application/problem+json'))).to.deep.include({ status: EXIT.timeout })
  })
})
