// What is remembered of a binary log that is deleted on request ends in every case: until then nothing is concluded from the server.
import { expect } from 'chai'
import { done, fail, ok, type Result } from '../../../../lib/base/result.js'
import type { ActSession } from '../../../../lib/effect/acts/act-session.js'
import { type ResetRequest, resetBinlogs } from '../../../../lib/effect/acts/reset-binlogs.js'

interface Played {
  readonly heard: readonly string[]
  readonly sent: number
  readonly ok: boolean
}

async function reset(given: { readonly kept?: Result<void>; readonly answer?: Result<[]> | Error }): Promise<Played> {
  const { kept = done, answer = ok([]) } = given
  const heard: string[] = []
  let sent = 0
  const session = {
    name: 'db1',
    dialect: { resetBinlogs: () => [] },
    run: async () => {
      sent += 1
      if (answer instanceof Error) throw answer
      return answer
    },
    read: async () => fail('unreachable', 'gone'),
  } as unknown as ActSession
  const request = {
    keepsHistory: false,
    deletion: {
      begin: async () => {
        heard.push('begin')
        return kept
      },
      end: (outcome: string) => heard.push(outcome),
    },
  } as unknown as ResetRequest
  const answered = await resetBinlogs(session, request).catch(() => fail('step-failed', ''))
  return { heard, sent, ok: answered.ok }
}

describe('the deletion of a binary log on request', () => {
  it('ends, and sends nothing, where it cannot be kept that it is about to begin', async () => {
    const played = await reset({ kept: fail('step-failed', 'disk full') })
    expect(played).to.deep.equal({ heard: ['begin', 'unknown'], sent: 0, ok: false })
  })

  it('ends without an outcome where the statements are refused or the session breaks', async () => {
    for (const answer of [fail('step-failed', 'no privilege'), new Error('broken')]) {
      const { heard } = await reset({ answer })
      expect(heard).to.deep.equal(['begin', 'unknown'])
    }
  })

  it('ends with numbers that begin again where nothing was to be kept', async () => {
    const { heard } = await reset({})
    expect(heard).to.deep.equal(['begin', 'begun-again'])
  })
})
