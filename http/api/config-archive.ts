// The configuration archive of a server: what its host downloads before it starts.
import { fail, ok, type Result } from '../../lib/base/result.js'
import type { Caller, ManagerFace } from './face.js'
import { usual } from './refusals.js'
import { route } from './route.js'

const readers = ['db-config-flag', 'proxy-config-flag'] as const

export const configArchiveRoutes = {
  'server.config': route({
    methods: ['GET'],
    paths: ['/api/clusters/:cluster/servers/:server/:port/config', '/api/clusters/:cluster/servers/:server/config'],
    summary: 'The archive of the files the server runs on; `api-credentials-secure-config` demands a token for it.',
    grant: 'none',
    reply: { status: 200, type: 'bytes' },
    failures: {
      'unknown-cluster': [500, 'No cluster'],
      'unknown-server': [500, 'No server'],
      'archive-missing': [404, 'File not found'],
      'not-logged-in': [401, 'Unauthenticated resource'],
      'no-grant': [403, 'No valid ACL'],
      ...usual('archive-failed', 'file-unreadable', 'deadline-passed'),
    },
    example: { reply: 'config.tar.gz: a gzip-compressed tar of the server’s init tree' },
    answer: async ({ manager, params, server, caller }) => {
      const open = mayDownload(manager, caller, params.cluster)
      if (!open.ok) return open
      const archive = await manager.archive(params.cluster, server.id)
      return archive.ok ? ok({ ...archive.value, name: 'config.tar.gz' }) : archive
    },
  }),
}

/** By default anybody may, so that hosts can start without a token. */
function mayDownload(manager: ManagerFace, caller: Caller, cluster: string): Result<undefined> {
  const secure = manager.settings(cluster).find(({ name }) => name === 'api-credentials-secure-config')?.value === true
  if (!secure || readers.some((grant) => caller.may(grant, cluster))) return ok(undefined)
  return caller.user === ''
    ? fail('not-logged-in', 'the archive needs a token here')
    : fail('no-grant', `${caller.user} lacks ${readers.join(' or ')}`)
}
