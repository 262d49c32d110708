// Logins: the routes that give a token. Their answers are the gateway's `sessions`.
import { z } from 'zod'
import { route } from '../../kit/route.js'

const tokenSchema = z.object({ token: z.string() })
const signOnSchema = z.object({ location: z.url() })

export const sessionRoutes = {
  'session.login': route({
    methods: ['POST'],
    paths: ['/api/login'],
    summary: 'Log in: a token for the Authorization header; the bare token when Accept names text/html.',
    grant: 'none',
    body: z.object({ username: z.string().min(1).max(256), password: z.string().max(1_024) }),
    reply: {
      status: 200,
      type: 'json',
      schema: tokenSchema,
      secret: true,
      html: (value) => tokenSchema.parse(value).token,
    },
    failures: {
      'wrong-credentials': [401, 'Invalid credentials'],
      'locked-out': [429],
      'bad-request': [400, 'Error in request'],
    },
    example: { request: { username: 'admin', password: 'secret' }, reply: { token: 'eyJ…' } },
    answer: ({ body, sessions, request }) => sessions.open({ user: body.username, password: body.password, request }),
  }),

  'session.autologin': route({
    methods: ['GET'],
    paths: ['/api/autologin'],
    summary: 'A token of `api-autologin-user` without a password, while `api-autologin` is on.',
    grant: 'none',
    reply: { status: 200, type: 'json', schema: tokenSchema, secret: true },
    failures: { disabled: [404] },
    example: { reply: { token: 'eyJ…' } },
    answer: ({ sessions, request }) => sessions.admit('autologin', request),
  }),

  'session.dashboard-token': route({
    methods: ['GET'],
    paths: ['/api/dashboard-token'],
    summary: 'A token of `api-dashboard-user` without a password, while that setting names a user.',
    grant: 'none',
    reply: { status: 200, type: 'json', schema: tokenSchema, secret: true },
    failures: { disabled: [404] },
    example: { reply: { token: 'eyJ…' } },
    answer: ({ sessions, request }) => sessions.admit('dashboard', request),
  }),

  'session.sign-on': route({
    methods: ['GET'],
    paths: ['/api/auth/login'],
    summary: 'Go to the OpenID Connect provider that the settings name, to log in there.',
    grant: 'none',
    reply: { status: 302, type: 'empty', location: (value) => signOnSchema.parse(value).location },
    failures: { disabled: [404], 'http-failed': [502] },
    answer: ({ sessions }) => sessions.signOn(),
  }),

  'session.signed-on': route({
    methods: ['GET'],
    paths: ['/api/auth/callback'],
    summary: 'Come back from the provider: a token; the bare token when Accept names text/html.',
    grant: 'none',
    query: z.object({}).catchall(z.string().max(8_192)),
    reply: {
      status: 200,
      type: 'json',
      schema: tokenSchema,
      html: (value) => tokenSchema.parse(value).token,
      secret: true,
    },
    failures: { disabled: [404], 'wrong-credentials': [401, 'Invalid credentials'] },
    example: { reply: { token: 'eyJ…' } },
    answer: ({ sessions, query, request }) => sessions.signedOn(query, request),
  }),
}
