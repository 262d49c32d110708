// Every operation of the OpenAPI document, asked of a running manager with drawn requests: it answers as documented, and goes on.
import { expect } from 'chai'
import fc from 'fast-check'
import { MINUTE, now } from '../../lib/base/time.js'
import {
  type DrawnRequest,
  drawRequests,
  type Existing,
  type Operation,
  operations,
} from '../support/http/draw-request.js'
import { ApiUser } from '../support/manager/api-user.js'
import type { ManagerProcess } from '../support/manager/manager-process.js'
import { startOwnedClusters } from '../support/manager/owned-clusters.js'
import { isSoak, sample } from '../support/run/soak.js'

/** They stream until the client leaves, answer late on purpose, or end what the others need. */
const elsewhere =
  /(^|\.)events|-events$|^events\.|^global\.timeout|^clusters\.(fleet|delete|drop)|waitdatabases|^server\.wait/

const asked = sample(
  operations.filter(({ path, operation: { operationId } }) => !elsewhere.test(operationId) && !/dropserver/.test(path)),
  isSoak ? operations.length : 180,
)

/** A soak draws new requests for so long. */
const SOAK_MS = 30 * MINUTE
/** Requests at once. */
const BESIDE = 6
/** An operation that takes longer is left; its answer is not judged. */
const PATIENCE = 8_000

/** A drawn `confirm` fits no plan, so that nothing is done: most passes leave it out. */
const drawn = (operation: Operation, seed: number): Operation =>
  seed % 4 === 0
    ? operation
    : { ...operation, parameters: operation.parameters.filter(({ name }) => name !== 'confirm') }

/** Statuses of a request that its schemas allow and that is wrong all the same: by what is configured, or by the time. */
const refusals: readonly number[] = [400, 422]

/** Names the status beside the field that it is about, or in its summary. */
function saysWhen({ summary, parameters, requestBody }: Operation, status: number): boolean {
  const described = JSON.stringify({ summary, parameters, content: requestBody?.content })
  return new RegExp(`"(description|summary)":"[^"]*\\b${status}\\b`).test(described)
}

describe('The operations of the OpenAPI document', () => {
  let manager: ManagerProcess
  let admin: ApiUser
  let existing: Existing
  before(async () => {
    manager = await startOwnedClusters({ nodes: [] })
    admin = await ApiUser.login(manager, 'admin', 'spec-password')
    const [server] = await admin.json<readonly { id: string }[]>('/api/clusters/lab/topology/servers')
    const id = server?.id ?? ''
    existing = {
      ...{ cluster: 'lab', clusterName: 'lab', name: 'lab', server: id, prefmaster: id, setting: 'failover-limit' },
      ...{ host: '127.0.0.1', port: '2' },
    }
  })
  after(() => manager?.destroy())

  /** What of the answer the document does not have; undefined: nothing. */
  async function fault(at: (typeof asked)[number], request: DrawnRequest): Promise<string | undefined> {
    const { method, operation } = at
    const named = `${method.toUpperCase()} ${request.path} ${request.body ?? ''}`.slice(0, 300)
    const answer = await admin
      .ask(request.path, {
        method: method.toUpperCase(),
        ...(request.type === undefined ? {} : { headers: { 'content-type': request.type } }),
        ...(request.body === undefined ? {} : { body: request.body }),
        signal: AbortSignal.timeout(PATIENCE),
      })
      .catch((error: Error) => error)
    if (answer instanceof Error)
      return /abort|timeout/i.test(`${answer.name} ${answer.message}`) ? undefined : `${named}: ${answer.message}`
    const { status, text, headers } = answer
    const documented = operation.responses[status]
    if (!documented) return `${named}: status ${status} is not documented: ${text.slice(0, 200)}`
    if (refusals.includes(status) && !saysWhen(operation, status))
      return `${named}: ${status}, and it does not say what it refuses: ${text.slice(0, 200)}`
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? ''
    const types = Object.keys(documented.content ?? {})
    if (status >= 400) return type === 'text/plain' ? undefined : `${named}: ${status} with type ${type}`
    if (text === '') return type === '' || types.includes(type) ? undefined : `${named}: an empty ${type}`
    return types.includes(type) ? undefined : `${named}: ${status} with type ${type}, documented ${types.join(', ')}`
  }

  async function pass(seed: number): Promise<readonly string[]> {
    const waiting = [...asked]
    const faults: string[] = []
    const work = async () => {
      for (let at = waiting.shift(); at; at = waiting.shift()) {
        const [request] = fc.sample(drawRequests(at.path, drawn(at.operation, seed), existing), { numRuns: 1, seed })
        const found = request && (await fault(at, request))
        if (found !== undefined) faults.push(`${at.operation.operationId}: ${found}`)
      }
    }
    await Promise.all(Array.from({ length: BESIDE }, work))
    return faults
  }

  it('answer with a status and a type that it documents, whatever it allows is asked, and say what they refuse of that', async function () {
    if (isSoak) this.timeout(SOAK_MS * 2)
    const ends = now() + SOAK_MS
    const first = isSoak ? Math.floor(Math.random() * 1e9) : 25
    for (let seed = first; ; seed += 1) {
      expect(await pass(seed), `seed ${seed}`).to.deep.equal([])
      expect(await admin.line('/api/status')).to.match(/^200 /)
      if (!isSoak || now() > ends) break
    }
  })
})
