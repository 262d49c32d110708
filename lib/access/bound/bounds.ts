// The bounds that owners share, each a row: `npm run docs` prints them into share/doc/threats.md.
import type { FairBound } from './fair-bound.js'

const bound = <const B extends FairBound>(row: B): FairBound & B => row

/** What is asked for beyond one of them is refused. Things that have ended do not count. */
export const sharedBounds = {
  silences: bound({
    ...{ unit: 'silences', total: 1_000, reserve: 100, perCluster: 100, perUser: 50 },
    ...{ failure: 'bound-reached', remedy: 'end some of them, or wait until they end' },
  }),
  eventStreams: bound({
    ...{ unit: 'event streams', total: 1_000, reserve: 100, perCluster: 400, perUser: 200 },
    ...{ failure: 'mailbox-full', remedy: 'close some of them' },
  }),
  slowAnswers: bound({
    ...{ unit: 'requests that wait', total: 2_000, reserve: 200, perCluster: 200, perUser: 20 },
    ...{ failure: 'mailbox-full', remedy: 'wait until some of them end' },
  }),
  lateAnswers: bound({
    ...{ unit: 'requests of /api/timeout', total: 100, reserve: 10, perCluster: 20, perUser: 10 },
    ...{ failure: 'mailbox-full', remedy: 'end some of them' },
  }),
  renders: bound({
    ...{ unit: 'requests of Graphite', total: 100, reserve: 10, perCluster: 40, perUser: 20 },
    ...{ failure: 'mailbox-full', remedy: 'ask again in a moment' },
  }),
  apiTokens: bound({
    ...{ unit: 'API tokens', total: 10_000, reserve: 500, perCluster: 1_000, perUser: 200 },
    ...{ failure: 'bound-reached', remedy: 'revoke some of them' },
  }),
  logins: bound({
    ...{ unit: 'logins at once', total: 256, reserve: 32, perCluster: 96, perUser: 64 },
    ...{ failure: 'mailbox-full', remedy: 'log in again in a moment, and keep the token' },
  }),
  loginCodes: bound({
    ...{ unit: 'unused codes for a login', total: 200, reserve: 40, perCluster: 20, perUser: 10 },
    ...{ failure: 'bound-reached', remedy: 'use one, or wait ten minutes until it expires' },
  }),
} as const satisfies Readonly<Record<string, FairBound>>
