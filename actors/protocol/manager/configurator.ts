// What the routes may ask of the configurator of the running manager.
import type { Result } from '../../../lib/base/result.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { ServicePlan } from '../../../lib/settings/table/plans.js'

/** A tag as lists show it. */
export interface TagView {
  readonly id: number
  readonly name: string
  /** `proxy` for a tag of proxies; else what the tag is about: disk, engine, replication … */
  readonly category: string
}

/** Tags of the databases of a cluster, or of its proxies. */
export type TagKind = 'database' | 'proxy'

export interface TagRequest {
  readonly cluster: string
  readonly kind: TagKind
  readonly tag: string
  /** Drops what contradicts it. */
  readonly replace: boolean
  readonly user: string
}

/** A list of tags after a change of it. */
export interface TagsView {
  readonly tags: readonly string[]
  readonly added: readonly string[]
  readonly dropped: readonly string[]
}

/** A tag with what shows it on running servers. */
export interface ProposalView {
  readonly tag: string
  /** What shows it, as the table of signs writes it. */
  readonly sign: string
  readonly evidence: readonly { readonly server: string; readonly text: string }[]
}

/** A setting as a discovery would have it. */
export interface ProposedSettingView {
  readonly name: string
  readonly before: string | number
  readonly after: string | number
  readonly evidence: string
  /** Why it stays as it is, whatever was found. */
  readonly kept?: string
}

export interface DiscoveryView {
  /** What was found is in force now; false where that was not wanted. */
  readonly applied: boolean
  readonly tags: TagsView
  readonly proposals: readonly ProposalView[]
  readonly settings: readonly ProposedSettingView[]
  readonly remarks: readonly string[]
}

export interface DiscoveryRequest {
  readonly cluster: string
  /** Only says what was found. */
  readonly plan: boolean
  readonly user: string
}

/** One variable of a server that is not what its tags say. */
export interface DifferenceView {
  readonly name: string
  /** What the tags say. */
  readonly expected: string
  /** What the server runs with. */
  readonly running: string
  /** What the option files that it starts on give it; absent where they cannot be seen. */
  readonly deployed?: string
  /** Where the server has its value from: a file, a statement, its command line. */
  readonly origin?: string
  readonly state: 'undecided' | 'preserved' | 'agreed' | 'cleared' | 'pending'
}

/** How a server stands to what its tags say. */
export interface DriftView {
  readonly server: string
  /** Its differences are kept and shown as findings: it runs on a generated configuration, or was taken over. */
  readonly watched: boolean
  readonly differences: readonly DifferenceView[]
}

export interface DriftQuestion {
  readonly cluster: string
  readonly server: ServerId
}

export interface DriftRequest extends DriftQuestion {
  /** accept: as long as the tags say the same; preserve: whatever they say; clear: the tags win at the next start. */
  readonly decision: 'accept' | 'preserve' | 'clear'
  /** A variable, or `all` differences. */
  readonly variable: string
  /** For preserve and clear: on every server of the cluster. */
  readonly everywhere: boolean
  readonly user: string
}

export interface DynamicRequest {
  readonly cluster: string
  /** Only says what would be done. */
  readonly plan: boolean
  readonly user: string
}

/** How one server took a configuration while it ran. */
export interface DynamicServerView {
  readonly server: string
  readonly statements: readonly { readonly sql: string; readonly refused?: string }[]
  /** What still differs, read back afterwards: it takes effect at the next start. */
  readonly restart: readonly { readonly name: string; readonly expected: string; readonly running: string }[]
  /** Why nothing could be done there. */
  readonly failure?: string
}

export interface DynamicView {
  readonly applied: boolean
  /** In the order of the work: the primary last. */
  readonly servers: readonly DynamicServerView[]
}

export interface ConfiguratorFace {
  /** Sets what the configuration says on the running servers, as far as it can be set. */
  applyDynamic(request: DynamicRequest): Promise<Result<DynamicView>>
  /** What a server runs with against what its tags say, read now. */
  drift(question: DriftQuestion): Promise<Result<DriftView>>
  /** Decides about a difference: in the files of custom.d and in the archive when answered. */
  decideDrift(request: DriftRequest): Promise<Result<DriftView>>
  /** The text of the cluster's `preserved_variables.cnf`; empty where nobody wrote one. */
  preservedVariables(cluster: string): Promise<Result<string>>
  /** Derives tags and resources from what the running servers show, and takes them over. */
  discover(request: DiscoveryRequest): Promise<Result<DiscoveryView>>
  /** Every tag there is, those of databases first. */
  tags(): readonly TagView[]
  /** In force and saved when answered; `unknown-tag`, `tag-conflict`. */
  addTag(request: TagRequest): Promise<Result<TagsView>>
  dropTag(request: Omit<TagRequest, 'replace'>): Promise<Result<TagsView>>
  readonly plans: PlansFace
}

/** Service plans: named sizes that clusters are put on. */
export interface PlansFace {
  list(): readonly ServicePlan[]
  /** Reads the list anew; a fault keeps the one that there is. */
  reload(user: string): Promise<Result<readonly ServicePlan[]>>
  /** The settings that a plan gives to a cluster; none for no plan. `wrong-value` names the nearest plan. */
  sizes(plan: string | undefined): Result<Readonly<Record<string, string>>>
}
