// An action that a page offers: what it is called, which row of the interface does it, how its work is followed.
import type { Api } from '../../../client/api/generated.js'
import type { Input, PlannedAddress } from '../../../client/api/types.js'

/** What it does to users: nothing; they are interrupted or redundancy is reduced; something is removed. */
export type ActionKind = 'harmless' | 'interrupting' | 'destroying'

/** An address of the API that has a plan, with what that takes. `cluster` names the cluster whose grants count and whose events are followed. */
type Act = {
  [A in ActAddress]: { readonly row: A; readonly params?: { readonly cluster?: string } } & Input<A>
}[ActAddress]

/** Pages act by requests that no link and no reload repeats. */
type ActAddress = Exclude<PlannedAddress, `GET ${string}`>

export type Action = Act & {
  /** "Switch over to db2": the title of its sheet, and of its button when that has no other. */
  readonly title: string
  /** Fields of the body that are shown nowhere. */
  readonly secrets?: readonly string[]
  /** One of these is needed; none: any user who is logged in. */
  readonly grant: string | readonly string[]
  readonly kind: ActionKind
  /** What continues after the answer: an operation, rolling work, a job. Absent: the answer is the end. */
  readonly follow?: 'operation' | 'rolling' | 'job'
  /** As manager-cli is asked for it, without its name; absent: `manager-cli api`. */
  readonly command?: readonly string[]
}

/** Actions whose path names exactly these, before it is said which. */
export type ActionFor<Name extends string> = Action extends infer Each
  ? Each extends { readonly row: ActAddress }
    ? [keyof ParamsOf<Each['row']>, Name] extends [Name, keyof ParamsOf<Each['row']>]
      ? Omit<Each, 'params'>
      : never
    : never
  : never

type ParamsOf<A extends ActAddress> = Api[A] extends { readonly params: infer Params } ? Params : Record<never, never>

/** How a control shows its kind. */
export const buttonKinds = { harmless: 'plain', interrupting: 'interrupting', destroying: 'destroying' } as const

/** Empty: of no cluster. */
export const clusterOf = ({ params }: Action): string => params?.cluster ?? ''
