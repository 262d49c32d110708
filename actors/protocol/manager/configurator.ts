// What the routes can request from the configurator of the running manager.
import type { Result } from '../../../lib/base/result.js'
import type { ProtectedClass } from '../../../lib/configure/index.js'
import type { ServerId } from '../../../lib/model/server/server.js'
import type { ServicePlan } from '../../../lib/settings/table/plans.js'

/** A tag as shown in lists. */
export interface TagView {
  readonly id: number
  readonly name: string
  /** `proxy` for a tag of proxies; otherwise the subject of the tag: disk, engine, replication … */
  readonly category: string
}

/** Tags of the databases of a cluster, or of its proxies. */
export type TagKind = 'database' | 'proxy'

export interface TagRequest {
  readonly cluster: string
  readonly kind: TagKind
  readonly tag: string
  /** Removes the tags that contradict it. */
  readonly replace: boolean
  readonly user: string
}

/** A list of tags after a change. */
export interface TagsView {
  readonly tags: readonly string[]
  readonly added: readonly string[]
  readonly dropped: readonly string[]
}

/** A tag with the evidence for it on running servers. */
export interface ProposalView {
  readonly tag: string
  /** The evidence, as written in the table of signs. */
  readonly sign: string
  readonly evidence: readonly { readonly server: string; readonly text: string }[]
}

/** A setting as a discovery would set it. */
export interface ProposedSettingView {
  readonly name: string
  readonly before: string | number
  readonly after: string | number
  readonly evidence: string
  /** Why it is left unchanged, whatever was found. */
  readonly kept?: string
}

export interface DiscoveryView {
  /** The result is in force; false where that was not requested. */
  readonly applied: boolean
  readonly tags: TagsView
  readonly proposals: readonly ProposalView[]
  readonly settings: readonly ProposedSettingView[]
  readonly remarks: readonly string[]
}

export interface DiscoveryRequest {
  readonly cluster: string
  /** Only reports what was found. */
  readonly plan: boolean
  readonly user: string
}

/** One variable of a server that differs from its tags. */
export interface DifferenceView {
  readonly name: string
  /** The value derived from the tags. */
  readonly expected: string
  /** The value on the running server. */
  readonly running: string
  /** The value in the option files of the server; absent where they cannot be read. */
  readonly deployed?: string
  /** Where the running value comes from: a file, a statement, the command line. */
  readonly origin?: string
  readonly state: 'undecided' | 'preserved' | 'agreed' | 'cleared' | 'pending'
}

/** How a server differs from the configuration derived from its tags. */
export interface DriftView {
  readonly server: string
  /** Its differences are stored and shown as findings: it runs on a generated configuration, or was adopted. */
  readonly watched: boolean
  readonly differences: readonly DifferenceView[]
}

export interface DriftQuestion {
  readonly cluster: string
  readonly server: ServerId
}

export interface DriftRequest extends DriftQuestion {
  /** accept: as long as the tags give the same value; preserve: whatever the tags give; clear: the tags apply at the next start. */
  readonly decision: 'accept' | 'preserve' | 'clear'
  /** A variable, or `all` for all differences. */
  readonly variable: string
  /** For preserve and clear: on every server of the cluster. */
  readonly everywhere: boolean
  readonly user: string
}

export interface DynamicRequest {
  readonly cluster: string
  /** Only reports what would be done. */
  readonly plan: boolean
  readonly user: string
}

/** One statement of an application: the value of a variable now, and then. */
export interface DynamicStatement {
  readonly sql: string
  /** The variable; absent where the statement changes none that is known. */
  readonly name?: string
  readonly from?: string
  readonly to?: string
  /** The server's refusal. */
  readonly refused?: string
}

/** What still differs when read back: it takes effect at the next start. */
export interface HeldDifference {
  readonly name: string
  readonly expected: string
  readonly running: string
  /** The class of variables that no rule sets on a running server. */
  readonly held?: ProtectedClass
}

/** The result of applying a configuration to one running server. */
export interface DynamicServerView {
  readonly server: string
  readonly statements: readonly DynamicStatement[]
  readonly restart: readonly HeldDifference[]
  /** Why nothing could be applied. */
  readonly failure?: string
}

export interface DynamicView {
  readonly applied: boolean
  /** Of a plan: why its application would be refused. */
  readonly refused?: string
  /** In the order of execution: the primary last. */
  readonly servers: readonly DynamicServerView[]
}

/** How the memory of a server is split. */
export interface MemoryView {
  readonly usableMb: number
  readonly workingConnections: number
  readonly sumKb: number
  readonly figures: readonly { readonly name: string; readonly kb: number; readonly why: string }[]
}

/** What the configuration of a cluster is made of. */
export interface ConfigurationView {
  readonly tags: readonly {
    readonly name: string
    readonly category: string
    readonly doc: string
    readonly chosen: boolean
    readonly includes: readonly string[]
    readonly excludes: readonly string[]
  }[]
  readonly memory: MemoryView
}

export interface PreviewRequest {
  readonly cluster: string
  readonly add: readonly string[]
  readonly drop: readonly string[]
  /** Tags that contradict an added one are dropped. */
  readonly replace: boolean
  /** Values of settings of resources (`prov-db-memory`) by their names. */
  readonly resources: Readonly<Record<string, string>>
}

/** What would be different for one server. */
export interface ServerPreview {
  readonly server: string
  readonly differences: readonly { readonly name: string; readonly before?: string; readonly after?: string }[]
  /** Something of it acts at the next start only … */
  readonly restart: boolean
  /** … or in a new data folder only. */
  readonly reprov: boolean
  /** What applies a change of tags to the running server. */
  readonly statements: readonly string[]
  readonly files: readonly { readonly path: string; readonly before: string; readonly after: string }[]
}

export interface PreviewView {
  readonly tags: TagsView
  readonly memory: { readonly before: MemoryView; readonly after: MemoryView }
  readonly servers: readonly ServerPreview[]
}

export interface ConfiguratorFace {
  /** The tags with what they are for, and the split of the memory. */
  configuration(cluster: string): Result<ConfigurationView>
  /** What other tags and resources would change in the files of each server; `tag-conflict`, `wrong-value`. */
  preview(request: PreviewRequest): Promise<Result<PreviewView>>
  /** Applies the configuration to the running servers, as far as the variables are dynamic. */
  applyDynamic(request: DynamicRequest): Promise<Result<DynamicView>>
  /** The running values of a server compared with its tags, read now. */
  drift(question: DriftQuestion): Promise<Result<DriftView>>
  /** Decides about a difference: in the files of custom.d and in the archive when the call returns. */
  decideDrift(request: DriftRequest): Promise<Result<DriftView>>
  /** The text of the cluster's `preserved_variables.cnf`; empty where there is none. */
  preservedVariables(cluster: string): Promise<Result<string>>
  /** Derives tags and resources from the running servers, and puts them in force. */
  discover(request: DiscoveryRequest): Promise<Result<DiscoveryView>>
  /** All tags, those of databases first. */
  tags(): readonly TagView[]
  /** In force and saved when the call returns; `unknown-tag`, `tag-conflict`. */
  addTag(request: TagRequest): Promise<Result<TagsView>>
  dropTag(request: Omit<TagRequest, 'replace'>): Promise<Result<TagsView>>
  readonly plans: PlansFace
}

/** Service plans: named sizes that can be assigned to clusters. */
export interface PlansFace {
  list(): readonly ServicePlan[]
  /** Reads the list again; a fault keeps the current one. */
  reload(user: string): Promise<Result<readonly ServicePlan[]>>
  /** The settings that a plan gives to a cluster; none for no plan. `wrong-value` names the nearest plan. */
  sizes(plan: string | undefined): Result<Readonly<Record<string, string>>>
}
