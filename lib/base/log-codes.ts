// Every line that the manager writes to its log, besides the events of clusters: one row each, by its code. Part of the interface, as failures are.

/** What the line says, and what can be done where it reports a problem. */
interface LogRow {
  readonly sentence: string
  readonly hint?: string
  /** An auditor reads it: it stands in security.log, too. */
  readonly audit?: true
}

export type LogSeverity = 'debug' | 'info' | 'warn' | 'error'

const rows = {
  'manager-started': { sentence: 'The manager is ready: its clusters and ports.' },
  'manager-stopping': { sentence: 'The manager was asked to stop, by the signal named.' },
  'manager-stop-incomplete': {
    sentence: 'Not everything had ended when the time for stopping was over; the process exits.',
    hint: 'Read the lines before: what was running is continued from its journal by the next start.',
  },
  'thread-late': {
    sentence: 'A thread has not run for the seconds named: its clusters were not monitored meanwhile.',
    hint: 'Give the host of the manager more processor time.',
  },
  'actor-crashed': {
    sentence: 'The monitoring of a cluster, or a thread, ended by an error of the program; it begins again.',
    hint: 'Report it with the stack of the crash record (manager-cli crashes).',
  },
  'watchdog-withheld': {
    sentence: 'The service manager was not notified, because the threads named did not run.',
    hint: 'Give the host of the manager more processor time; the manager replaces threads that hang.',
  },
  'notify-program-missing': {
    sentence: 'No program is there that notifies the service manager.',
    hint: 'Install one of the programs named, or use a unit without Type=notify.',
  },
  'notify-failed': {
    sentence: 'The service manager could not be notified.',
    hint: 'Check NotifyAccess of the unit.',
  },
  configuration: {
    sentence: 'Something in a configuration file deserves attention; the manager runs with the rest.',
    hint: 'bin/manager check lists everything at once.',
  },
  'configuration-read': { sentence: 'How many settings of a scope come from where.' },
  'settings-reloaded': { sentence: 'The configuration was read again, on request.', audit: true },
  'settings-kept': {
    sentence: 'The configuration has faults: the former one stays in force.',
    hint: 'Correct the faults named, then reload.',
  },
  'settings-unsaved': {
    sentence: 'Settings in the format of an earlier release could not be written in the present one.',
    hint: 'Check the working directory: free space and permissions.',
  },
  'setting-changed': {
    sentence: 'A setting was changed, cleared, switched or undone, or that was refused.',
    audit: true,
  },
  'setting-history-unwritten': {
    sentence: 'A change of a setting is not in its history.',
    hint: 'Check the working directory: free space and permissions.',
  },
  'setting-history-unread': {
    sentence: 'The history of settings cannot be read.',
    hint: 'Check the working directory: permissions, and the file named.',
  },
  'cluster-added': { sentence: 'A cluster was added, or that was refused.', audit: true },
  'cluster-deleted': { sentence: 'A cluster was deleted, or that was refused.', audit: true },
  'server-added': { sentence: 'A server was added to a cluster, or that was refused.', audit: true },
  'server-dropped': { sentence: 'A server was dropped from a cluster, or that was refused.', audit: true },
  'server-left-alone': {
    sentence: 'The server that answers at the address of a member is not its: nothing is done to it.',
    hint: 'Correct the address, or the name that leads there (finding ERR00182 of the cluster).',
  },
  'public-key-accepted': { sentence: 'The RSA key of a MySQL server was accepted, or that was refused.', audit: true },
  'server-rated': { sentence: 'A server was preferred or ignored for elections, or neither any more.', audit: true },
  'proxy-added': { sentence: 'A proxy was added to a cluster, or that was refused.', audit: true },
  'proxy-dropped': { sentence: 'A proxy was dropped from a cluster, or that was refused.', audit: true },
  'tag-added': { sentence: 'A tag of the configurator was set, or that was refused.' },
  'tag-dropped': { sentence: 'A tag of the configurator was removed, or that was refused.' },
  'tags-discovered': { sentence: 'Tags were set from what the servers of a cluster run with.' },
  'configuration-applied': { sentence: 'Variables were set on running servers: how many, and on which.' },
  'drift-decided': { sentence: 'Differences between servers and their configuration were accepted or preserved.' },
  'plans-read': { sentence: 'The list of service plans was read.' },
  'plan-chosen': { sentence: 'Settings without a value were filled from a service plan.' },
  'software-not-saved': {
    sentence: 'What is known of the software of servers could not be written.',
    hint: 'Check the working directory: free space and permissions.',
  },
  'archives-failed': {
    sentence: 'Configuration archives of a cluster could not be built; the former ones stay.',
    hint: 'Correct what the reason names, then regenerate them (manager-cli config regenerate).',
  },
  'archives-regenerated': { sentence: 'The configuration archives of a cluster were built again on request.' },
  'config-download': { sentence: 'A configuration archive was fetched, or that was refused.', audit: true },
  'bootstrap-token-made': { sentence: 'A token that fetches a configuration archive once was made.', audit: true },
  'certificates-reload': { sentence: 'Servers were asked to read their certificates again.' },
  'certificates-rotate': { sentence: 'New certificates of a cluster were made.' },
  'certificates-retire': {
    sentence: 'The former authority of a cluster was retired: what it signed is not trusted any more.',
  },
  'passwords-rotating': { sentence: 'A rotation of passwords began, or goes on after a restart.', audit: true },
  'passwords-cancelled': { sentence: 'A rotation of passwords is to be taken back, on request.', audit: true },
  'passwords-rotated': { sentence: 'Every account and user of them has the new passwords.', audit: true },
  'passwords-taken-back': { sentence: 'A cancelled rotation of passwords was taken back.', audit: true },
  'passwords-not-rotated': {
    sentence: 'A rotation of passwords ended without success; the old ones are valid.',
    hint: 'Correct what the reason names, then rotate again.',
    audit: true,
  },
  'rotation-unwritten': {
    sentence: 'The state of a rotation of passwords could not be written; it does not go on.',
    hint: 'Check the working directory: free space and permissions.',
  },
  'rotation-unread': {
    sentence: 'The state of a rotation of passwords cannot be read.',
    hint: 'Check which passwords the servers accept before you rotate again.',
  },
  login: { sentence: 'A user logged in.', audit: true },
  'login-failed': { sentence: 'A login was refused.', audit: true },
  'login-locked': { sentence: 'Logins of a user or an address wait after too many that failed.', audit: true },
  'login-admitted': { sentence: 'A user was admitted without a password: by single sign-on or a code.', audit: true },
  'login-code-created': { sentence: 'A one-time code for a login was made.', audit: true },
  logout: { sentence: 'A user ended a session of a browser.', audit: true },
  'session-ended': {
    sentence: 'A session of a browser ended. Reuse of an old cookie as the reason may be theft of it.',
    audit: true,
  },
  'sessions-unsaved': {
    sentence: 'Sessions of browsers could not be written: they end with this process.',
    hint: 'Check the working directory: free space and permissions.',
  },
  'sessions-not-shared': {
    sentence:
      'Sessions of browsers cannot be read from etcd, or not be changed there: one that begins is known to this instance only, and one that ends may be accepted by others.',
    hint: 'Check etcd: the reason says why. It is tried again.',
  },
  'sessions-ended-by-key': {
    sentence:
      'This instance takes part in the sessions of the others: those of its own have ended, their users log in again.',
  },
  'browser-sessions-damaged': {
    sentence: 'Sessions of browsers cannot be read; their users log in again.',
    hint: 'Check the file named.',
  },
  api_token_created: { sentence: 'An API token was created.', audit: true },
  api_token_revoked: { sentence: 'An API token was revoked.', audit: true },
  api_token_denied: { sentence: 'A user may not create or revoke that API token.', audit: true },
  'api-tokens-damaged': {
    sentence: 'API tokens cannot be read: they are refused.',
    hint: 'Restore the file named from a copy, or create new tokens.',
  },
  'api-tokens-not-shared': {
    sentence:
      'API tokens cannot be read from etcd: those that were known last are accepted, and none is created or revoked.',
    hint: 'Check etcd: the reason says why.',
  },
  'api-tokens-not-saved': {
    sentence:
      'API tokens that other instances changed cannot be saved: after a restart without etcd the earlier ones hold.',
    hint: 'Check the working directory: free space and permissions.',
  },
  'settings-from-elsewhere': { sentence: 'Settings that another instance changed hold here, too.' },
  'settings-not-shared': {
    sentence:
      'Settings that another instance may have changed cannot be read, or not adopted: those that hold here go on holding.',
    hint: 'Check etcd and the working directory: the reason says why. It is tried again.',
  },
  'user-added': { sentence: 'A user was added, or that was refused.', audit: true },
  'user-updated': { sentence: 'A user was changed, or that was refused.', audit: true },
  'user-dropped': { sentence: 'A user was dropped, or that was refused.', audit: true },
  'credentials-sent': { sentence: 'A one-time link to credentials was mailed, or could not be.', audit: true },
  'credentials-redeemed': { sentence: 'A one-time link to credentials was used, or refused.', audit: true },
  'vault-token-sent': { sentence: 'A token of Vault was mailed, or could not be.', audit: true },
  action: { sentence: 'A request that acts, or reads what few may read: who, what, and its status.', audit: true },
  refused: { sentence: 'A request was refused because of its token or its grants.', audit: true },
  'request-failed': {
    sentence: 'A request failed by an error of the program.',
    hint: 'Report it with its stack.',
  },
  'lines-dropped': {
    sentence: 'Lines could not be written to a log file; their number.',
    hint: 'Check the disk of the log file.',
  },
  'registration-requested': {
    sentence: 'A registration at the hosted service was asked for, or that was refused.',
    audit: true,
  },
  'registration-confirmed': { sentence: 'The hosted service has registered this manager.', audit: true },
  'registration-ended': {
    sentence: 'A registration was not confirmed in time, or refused while it was waited for.',
    hint: 'Register again, or confirm once the mail of the git host was answered (manager-cli register --confirm).',
  },
  'registration-connected': { sentence: 'This manager is connected to the hosted service.' },
  'registration-not-connected': {
    sentence: 'This manager is registered and could not be connected; its settings are unchanged.',
    hint: 'Correct the cause, then confirm again (manager-cli register --confirm): what was made is used.',
  },
  'registration-removed': { sentence: 'This manager was unregistered, or that was refused.', audit: true },
  'registration-not-saved': {
    sentence: 'The state of the registration could not be written.',
    hint: 'Check the working directory: free space and permissions.',
  },
  hosted_self_service_cluster: {
    sentence: 'An identity created a cluster in self-service, or that was refused.',
    audit: true,
  },
  'self-service-mail-failed': {
    sentence: 'The operator was not notified by mail of a cluster that was created in self-service.',
    hint: 'Check mail-to and mail-smtp-addr; the security log has the creation.',
  },
  'gate-script-unanswered': {
    sentence:
      'The gate script of self-service could not be run, or gave no answer within 30 s: the creation is refused.',
    hint: 'Run hosted-self-service-clusters-enabled-script by hand, as the account of the manager.',
  },
  'registration-unreadable': {
    sentence: 'What was kept of the registration cannot be read; the last good copy is used, if there is one.',
    hint: 'Check the working directory: permissions, and the file named.',
  },
  'subscription-changed': { sentence: 'Another plan was chosen, or that was refused.', audit: true },
  'subscription-unread': {
    sentence: 'The plan of the subscription could not be read; the one that was known last stays in force.',
    hint: 'Check hosted-crm-api-url and the way there from the host of the manager.',
  },
  'hosted-plan': { sentence: 'The plan of this manager at its hosted service, and what gives it, has changed.' },
  'hosted-license-refused': {
    sentence: 'The license of this manager does not count: its plan is free.',
    hint: 'Ask the operator of the hosted service for a license of this manager (manager-license verify judges one).',
  },
  'alert-sent': { sentence: 'A message was delivered to a receiver of alerts.' },
  'alert-failed': {
    sentence: 'A message could not be delivered to a receiver of alerts; it is tried again.',
    hint: 'Check the settings of the channel and what its receiver answered.',
  },
  'alert-given-up': {
    sentence: 'A message was never delivered to a receiver of alerts, and is not tried any more.',
    hint: 'Correct the channel, then test it (manager-cli alert test).',
  },
  'alert-unreadable': {
    sentence: 'What was kept of alerts cannot be read, and was put aside.',
    hint: 'Check the disk of the working directory.',
  },
  'alert-not-saved': {
    sentence: 'The state of alerts could not be written: after a restart messages may come twice or not at all.',
    hint: 'Check the working directory: free space and permissions.',
  },
  'alerts-failed': {
    sentence: 'Alerts of a cluster could not be judged; it is tried again.',
    hint: 'Report it with the reason if it comes again.',
  },
  'alerts-silenced': { sentence: 'Alerts were silenced.', audit: true },
  'silence-ended': { sentence: 'A silence of alerts was ended.', audit: true },
  'alerts-acknowledged': { sentence: 'Alerts were acknowledged.', audit: true },
  'alerts-unacknowledged': { sentence: 'The acknowledgement of alerts was withdrawn.', audit: true },
  'alerts-tested': { sentence: 'A test message was sent to receivers of alerts.', audit: true },
  'carbon-failed': {
    sentence: 'The carbon server of Graphite takes no figures; they are kept for a while, then dropped.',
    hint: 'Check graphite-carbon-host and graphite-carbon-port.',
  },
  'carbon-takes-lines': { sentence: 'The carbon server of Graphite takes figures again; what was dropped meanwhile.' },
  'billing-closed': { sentence: 'The statement of the month named is final.' },
  'billing-damaged': {
    sentence:
      'The statement of a month cannot be used; it was set aside, and the one of a minute before is continued, where there is one.',
    hint: 'Compare billing-YYYY-MM.json.damaged with the new file: days that only the former has are not billed.',
  },
  'billing-unreadable': {
    sentence: 'Statements on disk cannot be read; nothing is accounted until they can.',
    hint: 'Check the folder billing of the working directory.',
  },
  'billing-unwritten': {
    sentence: 'The running statement cannot be written; it is kept in memory and tried again every minute.',
    hint: 'Check the folder billing of the working directory.',
  },
  'filter-list-unread': {
    sentence: 'The list that filters figures for Graphite cannot be read; the former one is used.',
    hint: 'Correct the file named.',
  },
  'timeline-unwritten': {
    sentence: 'Entries of a timeline could not be written.',
    hint: 'Check the working directory: free space and permissions.',
  },
  'new-server-begun': { sentence: 'The creation of a server with the data of an earlier point began.', audit: true },
  'new-server-attached': { sentence: 'A recovered server was made a replica of the cluster.', audit: true },
  'new-server-removed': { sentence: 'A recovered server was removed.', audit: true },
  'new-server-left': {
    sentence: 'A recovered server could not be removed: it goes on running, and a finding names it.',
    hint: 'Correct what the reason names; it is tried again, and manager-cli recovered remove does it at once.',
  },
  'new-server-failed': {
    sentence: 'A step of the creation of a recovered server failed; it is removed.',
    hint: 'Correct what the reason names, then recover again.',
  },
  'cluster-owned': { sentence: 'This instance owns a cluster from now on.' },
  'cluster-given-up': { sentence: 'This instance does not own a cluster any more, and does not act on it.' },
  'cluster-handed-over': { sentence: 'This instance gave a cluster to another one, to spread the load or to stop.' },
  'arbitration-lost': {
    sentence: 'The arbitrator lets another instance act on a cluster, and this one does not any more.',
    hint: 'Check the network between the sites: the reason says what the other instance sees.',
  },
  'arbitration-script': { sentence: 'A line of the script that is run when the arbitration of a cluster is lost.' },
  'arbitrator-silent': {
    sentence: 'The arbitrator does not answer: no cluster is failed over until it does.',
    hint: 'Check that it runs, arbitration-external-hosts, the secret and the network to it.',
  },
  'ownership-failed': {
    sentence: 'A change of ownership failed; it is tried again.',
    hint: 'Check the members of etcd; report it if it comes again.',
  },
  'saved-settings-not-taken-over': {
    sentence: 'The saved settings of a cluster could not be read from etcd when it was taken over.',
    hint: 'Check the members of etcd and the setting named.',
  },
  'cluster-not-begun': {
    sentence: 'The monitoring of a cluster could not begin when it was taken over.',
    hint: 'Correct what the problem names.',
  },
  'repository-pushed': { sentence: 'Changes of the configuration were pushed to the configuration repository.' },
  'repository-failed': {
    sentence: 'The configuration repository could not be read or written; changes wait in the working directory.',
    hint: 'Correct what the problem names: git-url, the account, the git host or the network to it.',
  },
  'repository-changed': {
    sentence: 'Others changed the configuration in the configuration repository; it is not in force.',
    hint: 'Read the plan (manager-cli repository apply), then apply or reject it.',
  },
  'repository-applied': {
    sentence: 'The changes of others in the configuration repository were applied.',
    audit: true,
  },
  'repository-rejected': {
    sentence: 'The changes of others in the configuration repository were rejected; it has what runs again.',
    audit: true,
  },
  'repository-refused': {
    sentence: 'The changes of others in the configuration repository were not applied (git-changes): one is not valid.',
    hint: 'Correct it in the repository, or reject the changes (manager-cli repository reject).',
  },
  'repository-restored': {
    sentence: 'The configuration was restored from its repository.',
    hint: 'Write the settings named to the configuration file: only a file may give them.',
    audit: true,
  },
  'repository-back': { sentence: 'The configuration repository can be used again.' },
} as const satisfies Readonly<Record<string, LogRow>>

export type LogCode = keyof typeof rows

export const logCodes: Readonly<Record<LogCode, LogRow>> = rows

/** Writes a line: its code with its fields. Never given a password, a token or an address that holds one. */
export type WriteLog<S extends LogSeverity = LogSeverity> = (
  severity: S,
  code: LogCode,
  fields?: Readonly<Record<string, unknown>>,
) => void
