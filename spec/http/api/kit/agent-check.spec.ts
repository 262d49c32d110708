// The agent checks of HAProxy, over real sockets on both ports of the gateway.
import { createPrivateKey } from 'node:crypto'
import net from 'node:net'
import { expect } from 'chai'
import {
  FLAG_KNOWN,
  FLAG_LAG_SHIFT,
  FLAG_OWNED,
  FLAG_PRIMARY_CLOSED,
  FLAG_PRIMARY_KNOWN,
  FLAG_REPLICA_KNOWN,
  FLAG_VALID_PRIMARY,
  FLAG_VALID_REPLICA,
} from '../../../../actors/protocol/actor.js'
import { parseAgentQuestion, parseStatementQuestion } from '../../../../http/api/kit/agent-check.js'
import { makeKeys, readKeys, readStatement } from '../../../../lib/agent/statement.js'
import { unwrap } from '../../../../lib/base/result.js'
import { startTestGateway, type TestGateway } from '../../../support/http/test-gateway.js'
import { next } from '../../../support/wait.js'

const bothKnown = FLAG_KNOWN | FLAG_PRIMARY_KNOWN | FLAG_REPLICA_KNOWN

describe('answerAgent', () => {
  let test: TestGateway
  const keys = makeKeys()
  before(async () => {
    test = await startTestGateway({ statementKey: createPrivateKey(keys.privateKey) })
    const { flagWords } = test.face
    flagWords.set('c1/0', bothKnown | FLAG_VALID_PRIMARY)
    flagWords.set('c1/1', bothKnown | FLAG_VALID_REPLICA | ((7 + 1) << FLAG_LAG_SHIFT))
    flagWords.set('c1/2', FLAG_KNOWN)
  })
  after(() => test.close())

  const ask = async (line: string, port: number): Promise<string> => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(line))
    let answer = ''
    socket.on('data', (bytes) => {
      answer += String(bytes)
    })
    await next(socket, 'close', 'the end of it')
    return answer
  }

  for (const [line, answer] of [
    ['primary c1 db1', 'ready up\n'],
    ['primary c1 10.0.0.1:3306', 'ready up\n'],
    ['primary c1 beta', 'down\n'],
    ['replica c1 beta', 'ready up\n'],
    ['replica c1 beta 7', 'ready up\n'],
    ['replica c1 beta 6', 'down\n'],
    ['replica c1 alpha', 'down\n'],
    ['primary c1 stranger', ''],
    ['primary c9 alpha', ''],
    ['primary c2 alpha', ''],
    ['primary c1 twin', ''],
    ['primary c1 twin:3307', ''],
  ] as const)
    it(`answers '${answer.trim()}' to ${line}`, async () => {
      for (const port of [test.gateway.httpPort ?? 0, test.gateway.apiPort])
        expect(await ask(`${line}\n`, port)).to.equal(answer)
    })

  it('answers 400 to what is neither HTTP nor such a line', async () => {
    for (const line of ['primary c1\n', 'replica c1 beta x\n', 'other c1 beta\n', 'primary c1 db1 5\n', 'primary'])
      expect(await ask(line, test.gateway.httpPort ?? 0)).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  it('states the primary in a line that its public key verifies, and nothing while it is not certain', async () => {
    const { flagWords, answerAges, stopped } = test.face
    const nonce = 'abcdefgh-_012345'
    const state = async () => {
      const line = await ask(`statement c1 ${nonce}\n`, test.gateway.httpPort ?? 0)
      return line === '' ? undefined : unwrap(readStatement(line, unwrap(readKeys(keys.publicKey))))
    }
    const primary = { id: 'db1', name: 'alpha', host: '10.0.0.1', port: 3306 }
    const valid = bothKnown | FLAG_OWNED | FLAG_VALID_PRIMARY
    flagWords.set('c1/0', valid)
    expect(await state(), 'it was never probed').to.equal(undefined)
    answerAges.set('c1/0', 321)
    const stated = { cluster: 'c1', nonce, primary, writable: true, probedMs: 321, validMs: 10_000 }
    expect(await state()).to.deep.equal(stated)
    flagWords.set('c1/0', bothKnown | FLAG_OWNED | FLAG_PRIMARY_CLOSED)
    expect(await state()).to.deep.equal({ ...stated, writable: false })
    flagWords.set('c1/0', bothKnown | FLAG_OWNED)
    expect(await state()).to.equal(undefined)
    flagWords.set('c1/0', bothKnown | FLAG_VALID_PRIMARY)
    expect(await state(), 'another instance owns the cluster').to.equal(undefined)
    flagWords.set('c1/0', valid)
    stopped.set('c1', 'crashes')
    expect(await state()).to.equal(undefined)
    stopped.delete('c1')
    expect(await ask(`statement c9 ${nonce}\n`, test.gateway.apiPort)).to.equal('')
  })

  it('stops answering when the cluster is quarantined', async () => {
    expect(await ask('primary c1 beta\n', test.gateway.apiPort)).to.equal('down\n')
    test.face.stopped.set('c1', 'crashes')
    expect(await ask('primary c1 beta\n', test.gateway.apiPort)).to.equal('')
    test.face.stopped.delete('c1')
  })
})

describe('parseAgentQuestion', () => {
  it('reads the first line alone', () => {
    expect(parseAgentQuestion(Buffer.from('replica shop db1:3306 30\r\nmore'))).to.deep.equal({
      ...{ role: 'replica', cluster: 'shop', server: 'db1:3306', query: 'lag=30' },
    })
    expect(parseAgentQuestion(Buffer.from(`primary ${'x'.repeat(2_000)} y\n`))).to.equal(undefined)
  })
})

describe('parseStatementQuestion', () => {
  it('needs a nonce of at least 16 and at most 64 plain characters', () => {
    const parse = (text: string) => parseStatementQuestion(Buffer.from(text))
    expect(parse('statement shop 0123456789abcdef\r\n')).to.deep.equal({ cluster: 'shop', nonce: '0123456789abcdef' })
    for (const nonce of ['', '0123456789abcde', 'x'.repeat(65), '0123456789abcde"', '0123456789abcdef more'])
      expect(parse(`statement shop ${nonce}\n`), nonce).to.equal(undefined)
    expect(parse('statement shop 0123456789abcdef')).to.equal(undefined)
  })
})
