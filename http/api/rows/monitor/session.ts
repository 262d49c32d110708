// Logins: the routes that give a token. Their answers are the gateway's `sessions`.
import * as z from 'zod'
import { fail, ok } from '../../../../lib/base/result.js'
import { listed } from '../../kit/plan/planned.js'
import { usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'
import { exampleMe, meSchema, renderMe } from '../../views/kit/me.js'

const tokenSchema = z.object({ token: z.string() }).meta({ id: 'LoginToken' })
const signOnSchema = z.object({ location: z.url() })

const browserLogin = z
  .object({
    token: z.string().describe('for the Authorization header, for a quarter of an hour'),
    expiresAt: z.number().int().describe('milliseconds since the epoch'),
    user: z.string(),
  })
  .meta({ id: 'BrowserLogin' })

const exampleLogin = { token: 'eyJ…', expiresAt: 1_795_246_812_000, user: 'admin' }

const browserReply = { status: 200, type: 'json', schema: browserLogin, secret: true } as const

const noLogin = {
  'wrong-credentials': [401, 'Invalid credentials'],
  'locked-out': [429],
  'login-queue-full': [429],
  ...usual('foreign-page'),
} as const

export const sessionRoutes = {
  'session.open': route({
    methods: ['POST'],
    paths: ['/api/session'],
    summary: 'Log in a page: a short token, and a cookie that no script reads, by which it gets the next one.',
    grant: 'none',
    body: z.object({ username: z.string().min(1).max(256), password: z.string().max(1_024) }),
    reply: browserReply,
    failures: { ...noLogin, 'bad-request': [400, 'Error in request'] },
    example: { request: { username: 'admin', password: 'secret' }, reply: exampleLogin },
    answer: ({ body, sessions, request }) =>
      sessions.browser.open({ user: body.username, password: body.password, request }),
  }),

  'session.refresh': route({
    methods: ['POST'],
    paths: ['/api/session/refresh'],
    summary: 'The next token of a page, by its cookie, which is replaced; a replaced one ends the session.',
    grant: 'none',
    reply: browserReply,
    failures: usual('not-logged-in', 'foreign-page', 'store-unreachable'),
    example: { reply: exampleLogin },
    answer: ({ sessions, request }) => sessions.browser.refresh(request),
  }),

  'session.end': route({
    methods: ['DELETE'],
    paths: ['/api/session'],
    summary: 'Log out: the session of the cookie and of the token ends at once.',
    grant: 'none',
    reply: { status: 200, type: 'empty' },
    failures: usual('foreign-page', 'file-unwritable', 'store-unreachable'),
    answer: ({ sessions, request, login }) => sessions.browser.end(request, login),
  }),

  'session.link': route({
    methods: ['POST'],
    paths: ['/api/session/link'],
    summary: 'Log in a page by a one-time code.',
    grant: 'none',
    body: z.object({ code: z.string().min(1).max(128) }),
    reply: browserReply,
    failures: { ...noLogin, 'bad-request': [400, 'Error in request'] },
    example: { request: { code: 'mlc_…' }, reply: exampleLogin },
    answer: ({ body, sessions, request }) => sessions.browser.link(body.code, request),
  }),

  'session.code': route({
    cli: 'session create-code',
    methods: ['POST'],
    paths: ['/api/session/codes'],
    summary: 'Create a one-time code that logs the caller in, within ten minutes, at the path given.',
    grant: 'token',
    reply: {
      status: 200,
      type: 'json',
      schema: z.object({ code: z.string(), path: z.string(), expiresAt: z.number().int() }),
      secret: true,
    },
    failures: { 'no-grant': [403], ...usual('bound-reached', 'file-unwritable') },
    example: { reply: { code: 'mlc_…', path: '/login#code=mlc_…', expiresAt: 1_795_246_812_000 } },
    plan: ({ caller }) =>
      listed('create-code', ok(undefined), [`Create a code that logs ${caller.user} in once, within ten minutes`]),
    answer: ({ sessions, caller, login }) => sessions.browser.makeCode(caller, login),
  }),

  'session.begin-sign-on': route({
    methods: ['POST'],
    paths: ['/api/session/sign-on'],
    summary: 'Begin a login of a page at the OpenID Connect provider: the address to go to.',
    grant: 'none',
    reply: { status: 200, type: 'json', schema: signOnSchema, secret: true },
    failures: { disabled: [404], 'http-failed': [502], ...usual('foreign-page') },
    example: { reply: { location: 'https://id.example.com/authorize?…' } },
    answer: ({ sessions, request }) => sessions.browser.beginSignOn(request),
  }),

  'session.finish-sign-on': route({
    methods: ['POST'],
    paths: ['/api/session/signed-on'],
    summary: 'Log in a page by what the provider sent back to it, in the browser where that began.',
    grant: 'none',
    body: z.object({ state: z.string().min(1).max(256) }).catchall(z.string().max(8_192)),
    reply: browserReply,
    failures: { disabled: [404], 'bad-request': [400, 'Error in request'], ...noLogin },
    example: { request: { code: '…', state: '…' }, reply: exampleLogin },
    answer: ({ sessions, body, request }) => sessions.browser.signedOn(body, request),
  }),

  'session.me': route({
    methods: ['GET'],
    paths: ['/api/me'],
    summary: 'The caller: how it logged in, until when, and all its grants by cluster.',
    grant: 'token',
    reply: { status: 200, type: 'json', schema: meSchema },
    failures: {},
    example: { reply: exampleMe },
    answer: ({ manager, sessions, caller, login }) =>
      login
        ? ok(
            renderMe({
              ...{ clusters: manager.clusters(), user: caller.user, login },
              ...{ refreshMs: sessions.refreshMs(), history: sessions.history() },
            }),
          )
        : fail('not-logged-in', 'no valid token'),
  }),

  'session.login': route({
    methods: ['POST'],
    paths: ['/api/login'],
    summary:
      'Log in: a token for the Authorization header; typed as JSON when Accept names that, the bare token when it names text/html. A wrong password is 401, and 403 to a client that sends no Accept header.',
    grant: 'none',
    body: z.object({ username: z.string().min(1).max(256), password: z.string().max(1_024) }),
    reply: {
      status: 200,
      type: 'json',
      schema: tokenSchema,
      secret: true,
      typedWhenAsked: true,
      html: (value) => tokenSchema.parse(value).token,
    },
    failures: {
      'wrong-credentials': [401, 'Invalid credentials'],
      'locked-out': [429],
      'login-queue-full': [429],
      'bad-request': [400, 'Error in request'],
    },
    // The existing command line client names no type, and knows a wrong password by this status alone.
    withoutAccept: { 'wrong-credentials': [403, 'Invalid credentials'] },
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
