// The runbook pages: what each finding and alert means, how to check it, and what to do. They hold nothing secret.
import * as z from 'zod'
import { fail, ok } from '../../../../lib/base/result.js'
import { plainName } from '../../../../lib/model/findings/runbook/fill.js'
import { renderHtml, renderIndex } from '../../../../lib/model/findings/runbook/html.js'
import { renderIndexMarkdown, renderMarkdown } from '../../../../lib/model/findings/runbook/markdown.js'
import { findRunbook } from '../../../../lib/model/findings/runbook/runbooks.js'
import { usual } from '../../kit/refusals.js'
import { route } from '../../kit/route.js'

const name = z.string().regex(plainName, 'expected a name: letters, digits, dots, colons and dashes')

export const runbookRoutes = {
  'runbook.alert-rules': route({
    cli: 'monitor alert-rules',
    methods: ['GET'],
    paths: ['/api/prometheus/alerts'],
    summary:
      'The alert rules for Prometheus (share/prometheus/alerts.yml); their links lead to the runbook pages at `api-public-url`.',
    grant: 'none',
    reply: { status: 200, type: 'text' },
    failures: usual('file-unreadable'),
    example: { reply: 'groups:\n  - name: manager\n' },
    answer: ({ manager }) => manager.alertRules(),
  }),

  'runbook.index': route({
    cli: 'monitor runbooks',
    methods: ['GET'],
    paths: ['/api/runbooks'],
    summary:
      'The list of runbook pages: one for each finding and alert; HTML when Accept names text/html, else Markdown.',
    grant: 'none',
    reply: { status: 200, type: 'page' },
    failures: {},
    example: { reply: '- [ERR00012](runbooks/ERR00012): No primary was found.' },
    answer: () => ok({ markdown: renderIndexMarkdown(), html: renderIndex() }),
  }),

  'runbook.page': route({
    cli: 'monitor runbook',
    methods: ['GET'],
    paths: ['/api/runbooks/:runbook'],
    summary:
      'What a finding (`ERR00012`) or alert (`ManagerDown`) means, its usual causes, how to check it, what to do and what not to do; names in the query are filled into its commands. HTML when Accept names text/html, else Markdown.',
    grant: 'none',
    query: z.object({ cluster: name.optional(), server: name.optional(), primary: name.optional() }),
    reply: { status: 200, type: 'page' },
    failures: usual('unknown-runbook', 'bad-request'),
    example: { reply: '# ERR00012\n\nError: No primary was found.\n' },
    answer: ({ params, query }) => {
      const runbook = findRunbook(params.runbook)
      if (!runbook) return fail('unknown-runbook', `no runbook page is named ${params.runbook}`)
      return ok({ markdown: renderMarkdown(runbook, query), html: renderHtml(runbook, query) })
    },
  }),
}
