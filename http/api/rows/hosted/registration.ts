// The registration of this manager at a hosted service, and its subscription.
import * as z from 'zod'
import { ok } from '../../../../lib/base/result.js'
import { secret } from '../../../../lib/base/secret.js'
import { hostedPlans, uriPattern } from '../../../../lib/hosted/index.js'
import { listed } from '../../kit/plan/planned.js'
import { usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

/** An administrator: who may give grants for the whole service. */
const ADMINISTRATOR = 'global-grant'

const uri = z.string().regex(uriPattern).describe('domain.subdomain.zone: lower-case letters, digits and inner hyphens')

const account = z.object({
  email: z.email().max(254).describe('the account at the git host of the service'),
  password: z.string().min(8).max(256).describe('of that account; at least 8 characters'),
  uri,
})

const answer = z.looseObject({ uri: z.string(), connect_error: z.string().optional() })
const subscription = z.object({ uri: z.string(), plan: z.enum(hostedPlans) })
const refusals = usual('registration-unreachable', 'registration-refused', 'already-registered', 'file-unwritable')
const asking = usual('registration-unreachable', 'registration-refused', 'unknown-account')
const input = { 'bad-request': [400] } as const

const given = { email: 'dba@acme.example', password: 'of-the-git-host', uri: 'acme.paris.a' }

export const registrationRoutes = {
  'registration.begin': route({
    methods: ['POST'],
    paths: ['/api/register'],
    summary: 'Ask for an account at the hosted service; then its confirmation is waited for, five minutes.',
    grant: ADMINISTRATOR,
    secrets: () => ['password'],
    body: account,
    reply: { status: 202, type: 'json', schema: answer.extend({ state: z.string(), message: z.string() }) },
    failures: { ...input, ...refusals },
    example: {
      request: given,
      reply: {
        ...{ uri: 'acme.paris.a', state: 'pending' },
        message: 'acme.paris.a waits for the confirmation of dba@acme.example.',
      },
    },
    plan: ({ body }) =>
      listed('register', ok(undefined), [
        `Ask the hosted service for the account ${body.email} and the name ${body.uri}`,
        'Ask every 10 s, for 5 minutes, whether the account is confirmed; then set hosted and its identity',
      ]),
    answer: ({ manager, body, caller }) =>
      manager.registration.register({ ...body, password: secret(body.password), user: caller.user }),
  }),

  'registration.confirm': route({
    methods: ['POST'],
    paths: ['/api/register/confirm'],
    summary: 'Ask once whether the account is confirmed, and connect this manager; connect_error where that failed.',
    grant: ADMINISTRATOR,
    secrets: () => ['password'],
    body: account,
    reply: { status: 201, type: 'json', schema: answer },
    failures: { ...input, ...refusals, ...usual('email-unconfirmed', 'unknown-account') },
    example: { request: given, reply: { uri: 'acme.paris.a', message: 'acme.paris.a is registered and connected.' } },
    plan: ({ body }) =>
      listed('confirm-registration', ok(undefined), [
        `Ask the hosted service whether ${body.email} is confirmed`,
        'Set hosted and its identity',
      ]),
    answer: ({ manager, body, caller }) =>
      manager.registration.confirm({ ...body, password: secret(body.password), user: caller.user }),
  }),

  'registration.status': route({
    methods: ['GET'],
    paths: ['/api/register/status'],
    summary: 'The state of the registration of this manager.',
    grant: ADMINISTRATOR,
    reply: {
      status: 200,
      type: 'json',
      schema: z.object({
        state: z.enum(['idle', 'pending', 'complete', 'timeout', 'error']),
        message: z.string(),
        result: z.looseObject({}).optional(),
      }),
    },
    failures: {},
    example: { reply: { state: 'idle', message: 'This manager is not registered.' } },
    answer: ({ manager }) => ok(manager.registration.status()),
  }),

  'registration.end': route({
    methods: ['POST'],
    paths: ['/api/register/unregister'],
    summary: 'Unregister this manager: its projects and subscription end at the service, then hosted is off here.',
    grant: ADMINISTRATOR,
    body: z.object({ uri }),
    reply: { status: 200, type: 'json', schema: z.object({ uri: z.string() }) },
    failures: { ...input, ...asking, ...usual('file-unwritable', 'wrong-value') },
    example: { request: { uri: 'acme.paris.a' }, reply: { uri: 'acme.paris.a' } },
    plan: ({ body }) =>
      listed('unregister', ok(undefined), [
        `Unregister ${body.uri} at the hosted service, which deletes its projects and ends its subscription`,
        'Set hosted to false and take back what the registration has set',
      ]),
    answer: ({ manager, body, caller }) => manager.registration.unregister({ uri: body.uri, user: caller.user }),
  }),

  'subscription.show': route({
    methods: ['GET'],
    paths: ['/api/register/subscription'],
    summary: 'The plan of a manager, as the hosted service knows it.',
    grant: ADMINISTRATOR,
    query: z.object({ uri: uri.optional().describe('absent: the name of this manager') }),
    reply: { status: 200, type: 'json', schema: subscription },
    failures: { ...input, ...asking },
    example: { reply: { uri: 'acme.paris.a', plan: 'free' } },
    answer: ({ manager, query }) => manager.registration.subscription(query.uri),
  }),

  'subscription.choose': route({
    methods: ['POST'],
    paths: ['/api/register/subscription'],
    summary: 'Choose another plan of a manager at the hosted service.',
    grant: ADMINISTRATOR,
    body: subscription.extend({ uri }),
    reply: { status: 200, type: 'json', schema: subscription },
    failures: { ...input, ...asking, ...usual('already-registered') },
    example: { request: { uri: 'acme.paris.a', plan: 'support' }, reply: { uri: 'acme.paris.a', plan: 'support' } },
    answer: ({ manager, body, caller }) => manager.registration.subscribe({ ...body, user: caller.user }),
  }),

  'subscription.plans': route({
    methods: ['GET'],
    paths: ['/api/register/subscription/plans'],
    summary: 'The plans that the hosted service offers.',
    grant: ADMINISTRATOR,
    reply: { status: 200, type: 'json', schema: z.array(z.looseObject({})) },
    failures: asking,
    example: { reply: [{ plan: 'support', title: 'Support', price: '400 EUR a month' }] },
    answer: ({ manager }) => manager.registration.plans(),
  }),
}
