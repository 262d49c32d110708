// Plans of commands: asked for and shown (`--plan`: steps, durations, risks, id), and confirmed by their id (`--confirm`).
import type { Plan, PlanChange, PlanStep } from '../../../../http/client/api/generated.js'
import { type Act, planOf } from '../../kit/connect.js'
import type { Context } from '../../kit/context.js'
import { EXIT, Exit } from '../../output/exit.js'
import { format, print } from '../../output/output.js'
import { paint } from '../../output/paint.js'
import { type Column, renderTable } from '../../output/table.js'

export interface PlanOptions {
  readonly plan: boolean
  readonly confirm?: string
}

export const planFlag = [
  '--plan',
  'show the steps, their expected durations and the risks; change nothing',
  false,
] as const
export const confirmFlag = ['--confirm <plan>', 'id of a plan that was read: run exactly that one, or refuse'] as const

/** Prints the plan of an action; one that would be refused ends the program. */
export async function showPlan({ flags, session }: Context, act: Act): Promise<void> {
  const plan = await planOf(act, { session: session() })
  print(await format(flags(), plan, renderPreview))
  if (!plan.possible) throw new Exit(EXIT.refused, '')
}

/** Of a plan, or of the preview that an appointment keeps. */
type Shown = Pick<Plan, 'possible' | 'steps' | 'risks'> & Partial<Plan>

/** `isKept`: the plan of what is scheduled, which was a change. */
export function renderPreview(plan: Shown, isKept = false): string {
  const { possible, unchecked, refusal, steps, risks, loss, undo, id, changes = [], follows = [] } = plan
  if (!possible && unchecked === undefined) return `${paint('red', 'Refused')}: ${refusal ?? 'no reason given'}`
  const isNothing = steps.length + changes.length === 0
  return [
    ...(isNothing ? ['Nothing would change.'] : []),
    ...(changes.length > 0
      ? [renderTable(changeColumns, changes)]
      : steps.length > 0
        ? [
            renderTable(
              columns,
              steps.map((step, index) => ({ ...step, place: index + 1 })),
            ),
          ]
        : []),
    '',
    ...follows,
    ...pauseOf(plan),
    ...(loss && loss.kind !== 'none' && !risks.includes(loss.text) ? [`${paint('red', 'Loss')}: ${loss.text}`] : []),
    ...(unchecked === undefined ? [] : [`${paint('yellow', 'Not checked')}: ${unchecked}`]),
    ...risks.map((risk) => `${paint('yellow', 'Risk')}: ${risk}`),
    ...(undo ? [`Undo: ${undo}`] : []),
    ...(id === undefined ? [] : [`Plan ${id}: --confirm runs exactly this one.`]),
    ...(isKept ? [] : ['Nothing was changed.']),
  ].join('\n')
}

/** What was measured is preferred to what is usual. */
function pauseOf({ pauseMs, expectedBlockedMs }: Shown): readonly string[] {
  if (pauseMs) return [`Writes were blocked for about ${Math.round(pauseMs)} ms in the latest runs.`]
  return expectedBlockedMs === undefined ? [] : [`Writes are blocked for about ${Math.round(expectedBlockedMs)} ms.`]
}

/** Values say more than the same as sentences. */
const changeColumns: readonly Column<PlanChange>[] = [
  { title: 'what', text: ({ what }) => what },
  { title: 'now', text: ({ before }) => before ?? '—' },
  { title: 'then', text: ({ after }) => after ?? '—' },
]

const columns: readonly Column<PlanStep & { readonly place: number }>[] = [
  { title: '#', align: 'right', text: ({ place }) => String(place) },
  {
    title: 'expected',
    align: 'right',
    text: ({ expectedMs }) => (expectedMs === undefined ? '' : `${Math.round(expectedMs)} ms`),
  },
  { title: 'writes', text: ({ blocksWrites }) => (blocksWrites ? 'blocked' : 'allowed') },
  { title: 'step', text: ({ text }) => text },
]
