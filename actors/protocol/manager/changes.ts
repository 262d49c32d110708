// What routes change of the configuration: each change can be made, and rehearsed on a copy to see what it would come to.
import type { Result } from '../../../lib/base/result.js'
import type { ProxySoftware } from '../../../lib/configure/index.js'
import type { SettingChangeRecord } from '../../../lib/model/operation/setting-change.js'
import type { Rating, ServerId } from '../../../lib/model/server/server.js'
import type { ConfigurationRemarks } from '../../../lib/settings/load/report.js'
import type { Caller } from './caller.js'
import type { ConfiguratorFace, ServerPreview } from './configurator.js'
import type { UsersFace, UserView } from './users.js'

export interface SettingView {
  readonly name: string
  /** Masked when secret. */
  readonly value: unknown
  readonly origin: 'default' | 'file' | 'environment' | 'flag' | 'saved' | 'runtime' | 'rotated'
  readonly immutable: boolean
  /** Where the rotated secret is still configured. */
  readonly replaces?: string
  /** The place that gives the value after the next start, where the present one is a change. */
  readonly given?: string
  /** A change acts at the next start of the manager only. */
  readonly acts?: 'restart'
  /** Set at run time for all clusters; a value of the cluster's own replaces it. */
  readonly ofAll?: true
}

/** Which setting of which scope ('' is the server's), and the user who requests the change. */
export interface SettingTarget {
  readonly cluster: string
  readonly name: string
  readonly user: string
  /** What that user may do; absent: the manager itself makes the change. */
  readonly may?: Caller['may']
}

/** A database to monitor, or no longer, and the user who requests it. */
export interface ServerChange {
  readonly cluster: string
  /** `host:port`. */
  readonly address: string
  readonly user: string
  /** What that user may do; absent: the manager itself makes the change. */
  readonly may?: Caller['may']
  /** Adds it although its name resolves to no address now. */
  readonly force?: boolean
}

/** A proxy to configure, or no longer; the port is that of its admin interface. */
export interface ProxyChange extends ServerChange {
  readonly kind: ProxySoftware
}

export interface ChangesFace {
  addCluster(
    name: string,
    form: { readonly orchestrator?: string; readonly plan?: string },
    user: string,
  ): Promise<Result<void>>
  deleteCluster(name: string, user: string): Promise<Result<void>>
  addServer(change: ServerChange): Promise<Result<void>>
  dropServer(change: ServerChange): Promise<Result<void>>
  /** A proxy to configure from now on, or no longer; the address is that of its admin interface. */
  addProxy(change: ProxyChange): Promise<Result<void>>
  dropProxy(change: ProxyChange): Promise<Result<void>>

  /** Prefers or ignores the server in elections: rewrites the settings that list such servers. */
  rateServer(
    target: { readonly cluster: string; readonly server: ServerId; readonly user: string },
    rating: Rating,
  ): Promise<Result<void>>

  setSetting(change: SettingTarget & { readonly value: string }): Promise<Result<SettingView>>
  /** Several settings of one scope together; undefined takes the change of one back. */
  editSettings(target: Omit<SettingTarget, 'name'>, values: Readonly<Record<string, unknown>>): Promise<Result<void>>
  /** Toggles, unless `on` gives a state. */
  switchSetting(target: SettingTarget, on?: boolean): Promise<Result<SettingView>>
  /** Reverts run-time changes: the value of file, environment, flag or default applies again. */
  clearSetting(target: SettingTarget): Promise<Result<SettingView>>
  /** The latest changes of a scope, newest first. */
  settingChanges(cluster: string): Promise<readonly SettingChangeRecord[]>
  /** Sets the setting of a change back to its value before that change. */
  undoSetting(requester: Omit<SettingTarget, 'name'>, change: number): Promise<Result<SettingView>>
  /**
   * Reads the files again, and answers what was found in them. `cluster`: puts in force, and answers, what they say of that one
   * alone; absent: of all, and of the server.
   */
  reloadSettings(user: string, cluster?: string): Promise<Result<ConfigurationRemarks>>

  readonly users: Pick<UsersFace, 'list' | 'add' | 'update' | 'drop' | 'grants'>
  readonly configurator: Pick<ConfiguratorFace, 'addTag' | 'dropTag'>
}

/** What a change would come to. */
export interface Foreseen {
  readonly clusters: { readonly added: readonly string[]; readonly removed: readonly string[] }
  readonly settings: readonly {
    /** '' is the scope of the server. */
    readonly cluster: string
    /** Absent for a new cluster. */
    readonly before?: SettingView
    readonly after: SettingView
  }[]
  readonly users: readonly {
    readonly cluster: string
    readonly user: string
    /** Absent: it is no user of the cluster. */
    readonly before?: UserView
    readonly after?: UserView
    /** It gets another password. */
    readonly password: boolean
  }[]
  /** Servers whose files would differ. */
  readonly servers: readonly (ServerPreview & {
    readonly cluster: string
    /** The statements run at once (`prov-db-apply-dynamic-config`). */
    readonly applies: boolean
  })[]
}
