// Text from clients never becomes a separate line or field in the logs.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { renderLine } from '../../../../actors/manager/outlet/log.js'
import { createSecurityLog } from '../../../../actors/manager/outlet/security-log.js'
import { defaultSettings } from '../../../../lib/settings/index.js'
import { sendRaw, startTestGateway } from '../../../support/http/test-gateway.js'
import { newDirectory } from '../../../support/machine/directories.js'

const FORGED = '{"time":"2026-01-01T00:00:00.000Z","level":"info","event":"login","user":"boss"}'

describe('createSecurityLog', () => {
  it('writes a line for each event, whatever names, paths and headers hold', async () => {
    const folder = newDirectory('security')
    const printed: unknown[] = []
    const security = createSecurityLog({ ...defaultSettings(), 'monitoring-datadir': folder }, (level, code, fields) =>
      printed.push(renderLine({ level, time: '', msg: code, ...fields })),
    )
    const gateway = await startTestGateway({ log: security.write })
    const viewer = await gateway.bearer('viewer', 'see-only')
    for (const user of [`eve\r\n${FORGED}\r\n`, `eve\u2028${FORGED}`, 'eve\u001b[2J', 'eve","event":"login'])
      expect((await gateway.login(user, 'x', { 'X-Forwarded-For': '192.0.2.1, ::1' })).status).to.equal(401)
    const encoded = encodeURIComponent(`c1\r\n${FORGED}`)
    expect((await gateway.ask(`/api/clusters/${encoded}/actions/switchover`, { headers: viewer })).status).to.equal(400)
    const odd = encodeURIComponent('c1\u202e\u2028"')
    expect((await gateway.ask(`/api/clusters/${odd}/actions/switchover`, { headers: viewer })).status).to.equal(403)
    const head = `Host: x\r\nAuthorization: Bearer mat_x\r\n ${FORGED}\r\nConnection: close\r\n\r\n`
    await sendRaw(gateway.gateway.apiPort, `GET /api/clusters HTTP/1.1\r\n${head}`)
    await gateway.close()
    await security.close()

    const lines = (await readFile(path.join(folder, 'security.log'), 'utf8')).trimEnd().split('\n')
    const events = lines.map((line) => JSON.parse(line) as Readonly<Record<string, string>>)
    expect(events.filter(({ event }) => event === 'login').map(({ user }) => user)).to.deep.equal(['viewer'])
    expect(events.filter(({ event }) => event === 'login-failed')).to.have.length(4)
    expect(events.filter(({ event }) => event === 'refused').length).to.be.at.least(1)
    for (const { address } of events) expect(address).to.equal('127.0.0.1')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    for (const line of printed) expect(line).to.not.match(/[\u0000-\u001f\u2028\u202e]/)
  })
})
