// Servers that hold the data of an earlier point are kept apart: nothing links them or deletes their history. Pure.
import { fail, type Result } from '../../base/result.js'
import type { Memory } from '../../model/memory.js'
import { addressText, type ServerId } from '../../model/server/server.js'
import type { BareSnapshot, ServerSnapshot } from '../../model/snapshot.js'

type Remembered = Pick<Memory, 'newServers'>

/** Until it is attached or removed, whatever its data show. */
export const isApart = (id: ServerId, { newServers }: Remembered): boolean => newServers?.[id] !== undefined

/** Those that decisions about the whole cluster concern. */
export const membersOf = (servers: readonly ServerSnapshot[], memory: Remembered): readonly ServerSnapshot[] =>
  memory.newServers ? servers.filter(({ id }) => !isApart(id, memory)) : servers

/** Why what is asked for all servers, or for `only` one, cannot be done; undefined when none of them is apart. */
export function refuseApart(
  { snapshot, memory }: { readonly snapshot: Pick<BareSnapshot, 'servers'>; readonly memory: Remembered },
  only?: ServerId,
): Result<never> | undefined {
  const found = snapshot.servers.find(({ id }) => isApart(id, memory) && (only === undefined || id === only))
  return found && fail('wrong-state', apartText(found.name))
}

/** Before it is filled its accounts are those of its archive, and one that could not be removed may never answer: no password changes there. */
export function refuseWhileMade({ newServers = {} }: Remembered): Result<never> | undefined {
  const open = Object.values(newServers).find(({ stage }) => stage !== 'ready')
  if (!open) return undefined
  const address = addressText(open)
  const what = open.stage === 'removing' ? 'is being removed' : 'is being filled for a recovery'
  return fail(
    'wrong-state',
    `${address} ${what}: its accounts cannot be changed now; wait for its job, or remove it (manager-cli recovered remove ${address})`,
  )
}

export const apartText = (name: string): string =>
  `${name} holds the data of an earlier point and is kept apart: attach it (manager-cli recovered attach), or remove it`
