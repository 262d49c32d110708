// Clusters of peer managers, and those offered for sale: lists that existing clients read. This manager has no peers.
import * as z from 'zod'
import { ok } from '../../../../lib/base/result.js'
import { emptyBecause } from '../../kit/empty.js'
import { usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const peers = z.array(z.never())

/** A list that is empty, and says why. */
const none = (path: '/api/clusters/peers' | '/api/clusters/for-sale', summary: string) =>
  route({
    methods: ['GET'],
    paths: [path],
    summary,
    grant: 'token',
    reply: { status: 200, type: 'json', schema: peers },
    failures: usual('not-logged-in'),
    example: { reply: [] },
    answer: () => ok(emptyBecause([], 'this manager is not connected to hosted services, so it has no peers')),
  })

export const peerRoutes = {
  'peers.list': none('/api/clusters/peers', 'Clusters of peer managers that the caller may use: none here.'),
  'peers.for-sale': none('/api/clusters/for-sale', 'Clusters of peer managers that are offered for sale: none here.'),
}
