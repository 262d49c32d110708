// Logins: the routes that give a token. Their answers are the gateway's `sessions`.
import { z } from 'zod'
import { route } from './route.js'

const tokenSchema = z.object({ token: z.string() })

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
    summary: 'A token of `api-autologin-user` for whoever asks, while `api-autologin` is on.',
    grant: 'none',
    reply: { status: 200, type: 'json', schema: tokenSchema },
    failures: { disabled: [404] },
    example: { reply: { token: 'eyJ…' } },
    answer: ({ sessions, request }) => sessions.admit('autologin', request),
  }),

  'session.dashboard-token': route({
    methods: ['GET'],
    paths: ['/api/dashboard-token'],
    summary: 'A token of `api-dashboard-user` for whoever asks, while that names a user.',
    grant: 'none',
    reply: { status: 200, type: 'json', schema: tokenSchema },
    failures: { disabled: [404] },
    example: { reply: { token: 'eyJ…' } },
    answer: ({ sessions, request }) => sessions.admit('dashboard', request),
  }),
}
