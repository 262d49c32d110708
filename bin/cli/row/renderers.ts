// Answers with a form of their own for people; all others are shown field by field.
import type { Route } from '../../../http/api/kit/route.js'
import { type ConfigurationRemarks, remarkLines } from '../../../lib/settings/load/report.js'
import { renderAlerts } from '../answer/alerts.js'
import { renderDivergence, renderDivergencePlan } from '../answer/divergence.js'
import { renderHost } from '../answer/host.js'
import { type Jobs, renderJob, renderJobs, tasksOf } from '../answer/jobs.js'
import { renderClusterPrice, renderPrice } from '../answer/price.js'
import { renderSeries } from '../answer/series.js'
import { renderChange } from '../answer/setting.js'
import { renderTimeline } from '../answer/timeline.js'
import { renderTop } from '../answer/top.js'

type Render = (value: unknown) => string

export const rendererOf = ({ id }: Pick<Route, 'id'>): Render | undefined => renderers[id]

/** What an act on a server came to: its sentence. */
export function actText(value: unknown): string | undefined {
  const { msg } = (typeof value === 'object' && value !== null ? value : {}) as { readonly msg?: unknown }
  return typeof msg === 'string' ? msg : undefined
}

/** The API's schemas say what each answer is; the client takes the manager's word for it. */
const from =
  <T>(render: (value: T) => string): Render =>
  (value) =>
    render(value as T)

const renderers: Readonly<Record<string, Render>> = {
  'topology.alerts': from(renderAlerts),
  'global.alerts': from(renderAlerts),
  'job.list': from((jobs: Jobs) => renderJobs(tasksOf(jobs))),
  'job.show': from(renderJob),
  'series.cluster': from(renderSeries),
  'timeline.cluster': from(renderTimeline),
  'timeline.fleet': from(renderTimeline),
  'clusters.top': from(renderTop),
  'global.metrics': from(renderHost),
  'price.cluster': from(renderClusterPrice),
  'price.show': from(renderPrice),
  'price.month': from(renderPrice),
  'settings.reload': from((remarks: ConfigurationRemarks) => remarkLines(remarks).join('\n')),
  'server.divergence': from(renderDivergence),
  'server.divergence-plan': from(renderDivergencePlan),
  ...Object.fromEntries(
    ['set', 'set-cron', 'clear', 'switch', 'undo', 'set-global', 'switch-global', 'clear-global', 'undo-global'].map(
      (verb) => [`settings.${verb}`, from(renderChange)],
    ),
  ),
}

export const renderedIds: readonly string[] = Object.keys(renderers)
