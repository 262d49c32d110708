// Every way an action can fail: one row each. Codes are part of the interface: never renumbered, only retired.

export interface FailureRow {
  /** What it means, one sentence. */
  readonly sentence: string
  /** What a caller of the API can do. */
  readonly hint: string
  /** The same in the words of the command line client, its commands in backticks; absent: `hint` serves there, too. */
  readonly cli?: string
}

export const failures = {
  'unknown-cluster': {
    sentence: 'No cluster has this name.',
    hint: 'List the clusters with GET /api/clusters.',
    cli: 'List the clusters with `manager-cli fleet`.',
  },
  'unknown-server': {
    sentence: 'No server of the cluster has this id, name or address.',
    hint: 'List the servers with GET /api/clusters/{cluster}/topology/servers.',
    cli: 'List the servers with `manager-cli topology`.',
  },
  'unknown-setting': {
    sentence: 'No setting has this name.',
    hint: 'See share/doc/settings.md for the list.',
    cli: '`manager-cli setting list` shows all of them; share/doc/settings.md says what each does.',
  },
  'setting-without-effect': {
    sentence: 'The name is recognised, but this version has nothing that it could set.',
    hint: 'bin/manager --explain-config lists the names of the configuration that have no effect.',
  },
  'unknown-change': {
    sentence: 'The history holds no such change of a setting.',
    hint: 'settings/history lists those that can be undone.',
    cli: '`manager-cli setting history` lists those that can be undone.',
  },
  'setting-grant': {
    sentence: 'The user may change settings, but not this one.',
    hint: 'Ask an administrator for the grant named in the message.',
  },
  'unknown-route': {
    sentence: 'No such address in the API.',
    hint: 'See /api-docs for the addresses.',
    cli: 'The manager is older than this client, or `manager-cli api` was given another path. See /api-docs for the addresses.',
  },
  'wrong-method': {
    sentence: 'The address does not support this method.',
    hint: 'The Allow header lists the supported methods.',
    cli: '`manager-cli api` was given a method that the path does not take; api.md lists those that it does.',
  },
  'foreign-page': {
    sentence: 'The request was made by a page of another origin.',
    hint: 'Open the page of the manager itself. A reverse proxy in front of it must keep the Host header.',
  },
  'check-negative': { sentence: 'The check answers no.', hint: 'Nothing needs to be done.' },
  'unknown-topology': { sentence: 'No topology has this name.', hint: 'Use one of the names the message lists.' },
  'unknown-variable': {
    sentence: 'The server has no configuration difference of this name.',
    hint: 'List them with GET S/variables-drift.',
    cli: 'List them with `manager-cli drift`.',
  },
  'unknown-tag': {
    sentence: 'No rule defines this tag.',
    hint: 'List the tags with GET C/tags, or see dist/doc/tags.md.',
    cli: 'List the tags with `manager-cli tags`, or see dist/doc/tags.md.',
  },
  'tag-conflict': {
    sentence: 'The tag contradicts one that is set.',
    hint: 'Remove the other tag first, or retry with replace=true.',
    cli: 'Remove the other tag first, or retry with --replace.',
  },
  'wrong-scope': {
    sentence: 'The setting belongs to another scope.',
    hint: 'C/settings/actions changes settings of a cluster, /api/clusters/settings/actions those of the server and of all clusters.',
    cli: '`manager-cli setting set-global` changes settings of the manager and of all clusters, `manager-cli setting set` those of a cluster.',
  },
  'wrong-value': {
    sentence: 'The value is not valid for this setting.',
    hint: 'share/doc/settings.md lists the allowed values of every setting.',
  },
  'cluster-exists': { sentence: 'A cluster with this name already exists.', hint: 'Choose another name.' },
  'server-exists': { sentence: 'The cluster already monitors this server.', hint: 'Nothing needs to be done.' },
  'bad-name': { sentence: 'The name is not allowed.', hint: 'Use letters, digits, dot, dash and underscore.' },
  'bad-request': {
    sentence: 'The request cannot be read.',
    hint: 'Correct the field named in the message; /api-docs shows each request.',
    cli: 'Correct the option or argument that is named; --help of the command shows each.',
  },
  'too-large': { sentence: 'The request is too large.', hint: 'Send less than 1 MB.' },
  'not-logged-in': {
    sentence: 'The request carries no valid token.',
    hint: 'Log in with POST /api/login, or manager-cli login.',
    cli: 'Log in with `manager-cli login`.',
  },
  'wrong-credentials': {
    sentence: 'User or password is wrong.',
    hint: 'Check both; repeated failures lock the login.',
  },
  'locked-out': { sentence: 'Too many failed logins.', hint: 'Wait three minutes, then try again.' },
  'login-queue-full': {
    sentence: 'Too many logins wait for their turn.',
    hint: 'Try again in a few seconds; someone may be guessing passwords (login-failed in the log).',
  },
  'too-often': {
    sentence: 'This was done too often within a short time.',
    hint: 'Wait ten minutes, then try again.',
  },
  'bound-reached': {
    sentence: 'A bound that users share is reached.',
    hint: 'End what is not needed any more; share/doc/threats.md lists the bounds.',
  },
  'no-grant': {
    sentence: 'The user does not have the required grant.',
    hint: 'Ask an administrator for the grant named in the message.',
  },
  'last-administrator': {
    sentence: 'The change would leave the cluster without an administrator.',
    hint: 'Give another user cluster-grant first.',
  },
  'operation-running': {
    sentence: 'Another operation of the cluster is running.',
    hint: 'Wait for it to end; GET C/failover/explain shows it.',
    cli: 'Wait for it to end (`manager-cli wait --for operation`); `manager-cli explain` shows it.',
  },
  'primary-failed': { sentence: 'The primary is down.', hint: 'Use failover, not switchover.' },
  'primary-alive': { sentence: 'The primary is alive.', hint: 'Use switchover, not failover.' },
  'no-primary': {
    sentence: 'The cluster has no primary.',
    hint: 'See the findings of the cluster.',
    cli: 'See the findings of the cluster: `manager-cli cluster alerts`.',
  },
  'no-candidate': {
    sentence: 'No replica can take over.',
    hint: 'GET C/failover/explain says why for each.',
    cli: '`manager-cli explain` says why for each.',
  },
  vetoed: {
    sentence: 'A safety rule refuses this.',
    hint: 'GET C/failover/explain names the rule and its inputs.',
    cli: '`manager-cli explain` names the rule and its inputs.',
  },
  'long-writes': {
    sentence: 'Long writes are running on the primary.',
    hint: 'Let them end or stop them; the message lists each.',
  },
  'replication-login': {
    sentence:
      'The server that others are to replicate from refuses the login of the replication account, that cannot be judged, or replication-hosts states the address of another server for it.',
    hint: 'Run the statement in the message on the primary, or correct replication-credential or replication-hosts, then retry.',
  },
  'event-scheduler': {
    sentence:
      'Events of the event scheduler would write on the old primary, also read-only, and the manager may not stop them.',
    hint: 'Run the GRANT in the message, or give the events a definer without SUPER and READ_ONLY ADMIN, then retry.',
  },
  'rolled-back': {
    sentence: 'The operation failed and was undone; the old primary is writable again.',
    hint: 'Fix the cause of the failed step, then retry.',
  },
  'step-failed': {
    sentence: 'A step of the operation failed.',
    hint: 'Fix the cause given in the message; GET C/jobs shows which steps were done.',
    cli: 'Fix the cause given in the message; `manager-cli jobs` shows which steps were done.',
  },
  'deadline-passed': {
    sentence: 'No answer within the time limit.',
    hint: 'The work may still be running; check the state of the cluster.',
  },
  'actor-gone': {
    sentence: 'The monitoring of the cluster was restarted or removed during the request.',
    hint: 'Try again.',
  },
  'mailbox-full': { sentence: 'The cluster has too many requests waiting.', hint: 'Try again after the time given.' },
  quarantined: {
    sentence: 'The cluster was stopped after repeated crashes.',
    hint: 'See its crash record, then restart it.',
  },
  'sql-failed': {
    sentence: 'The database refused a statement.',
    hint: 'Fix the cause given in its error (often a missing grant), then retry.',
  },
  'sql-refused': {
    sentence: 'Nothing listens at the database address.',
    hint: 'Check that the server is running and that host and port are right.',
  },
  'sql-silent': {
    sentence: 'The database did not answer in time.',
    hint: 'Check whether the server hangs, and the network path between the manager and it.',
  },
  'sql-unresolved': {
    sentence: 'The host name of the database does not resolve to an address.',
    hint: 'Check the name service of the host that runs the manager, or give the server by its address.',
  },
  'sql-rejected': { sentence: 'The database refused the login.', hint: 'Check the credentials and max_connections.' },
  'sql-key-unproven': {
    sentence: 'The MySQL server offers an RSA key that the password may not be sealed for.',
    hint: 'If its keys were made again, accept the key that the message names; else find out what answers at its address.',
  },
  'no-sample': {
    sentence: 'No complete sample of a statement with this digest exists.',
    hint: 'Enable what the message names, run the statement once more, then retry.',
  },
  'unsafe-statement': {
    sentence: 'This statement cannot be explained safely.',
    hint: 'The message gives the reason; run EXPLAIN manually if you know what the statement does.',
  },
  'nothing-runs': {
    sentence: 'No running statement or session matches.',
    hint: 'List the threads with GET S/processlist.',
    cli: 'List the threads with `manager-cli server processlist <server>`.',
  },
  'protected-thread': {
    sentence: 'The thread belongs to replication, the server itself or the manager.',
    hint: 'Use the replication actions to stop replication; other protected threads cannot be killed here.',
  },
  'is-primary': {
    sentence: 'The server is the primary.',
    hint: 'Choose a replica, or retry with force.',
    cli: 'Choose a replica, or retry with --force.',
  },
  'not-replicating': { sentence: 'The server is not a replica.', hint: 'It has no replication to start or stop.' },
  'orchestrator-failed': {
    sentence: 'The orchestrator failed.',
    hint: 'Fix the cause given in the message, then retry; the error log of the server may give details.',
  },
  'unknown-token': {
    sentence: 'No API token has this id.',
    hint: 'List the tokens with GET /api/tokens.',
    cli: 'List the tokens with `manager-cli token list`.',
  },
  'unknown-user': {
    sentence: 'No user has this name.',
    hint: 'List the users of the cluster with GET C/users, or manager-cli user list.',
    cli: 'List the users of the cluster with `manager-cli user list`.',
  },
  'user-exists': { sentence: 'A user with this name already exists.', hint: 'Update it, or choose another name.' },
  disabled: { sentence: 'This function is disabled.', hint: 'Enable the setting named in the message.' },
  'mail-failed': {
    sentence: 'The mail could not be sent.',
    hint: 'Check mail-smtp-addr, mail-smtp-user and mail-smtp-password against what the mail server answered.',
  },
  'no-statement': {
    sentence: 'No statement of this month is there.',
    hint: 'GET /api/global/price lists the months that have one.',
    cli: '`manager-cli price show` lists the months that have one.',
  },
  'unknown-runbook': {
    sentence: 'No finding and no alert has this name.',
    hint: 'List the pages with GET /api/runbooks; codes are written ERR00012 or WARN0091.',
    cli: 'List the pages with `manager-cli runbook`; codes are written ERR00012 or WARN0091.',
  },
  'alert-failed': {
    sentence: 'An alert could not be sent.',
    hint: 'Check the settings of the channel and what its receiver answered.',
  },
  'registration-unreachable': {
    sentence: 'The registration API of the hosted service cannot be reached, or gave no usable answer.',
    hint: 'Check hosted-crm-api-url and the way there from the host of the manager, then retry: what was begun is repeatable.',
  },
  'registration-refused': {
    sentence: 'The hosted service refuses the account.',
    hint: 'Check e-mail and password: they are those of the account at its git host.',
  },
  'email-unconfirmed': {
    sentence: 'The e-mail address of the account is not confirmed yet.',
    hint: 'Open the link in the mail of the git host, then confirm again.',
  },
  'unknown-account': {
    sentence: 'The hosted service does not know the account, or the name of this manager.',
    hint: 'Register first (manager-cli register).',
  },
  'already-registered': {
    sentence: 'The account or the name is registered already, or a registration is under way.',
    hint: 'GET /api/register/status shows the state of this manager; choose another name, or confirm what is pending.',
    cli: '`manager-cli registration status` shows the state of this manager; choose another name, or confirm what is pending.',
  },
  'self-service-refused': {
    sentence: 'The identity may not create a cluster in self-service now.',
    hint: 'The message says which check refuses it; GET /api/hosted/self-service shows clusters, plan and pool.',
    cli: 'The message says which check refuses it: clusters, plan and pool.',
  },
  'bad-license': {
    sentence: 'The license does not count for this manager.',
    hint: 'Ask the operator of the hosted service for license.json and license.sig of this manager; share/doc/hosted.md says what is checked.',
  },
  'no-channel': {
    sentence: 'No channel of alerts is configured.',
    hint: 'Set mail-to, alert-slack-url, alert-teams-url, alert-pushover-app-token and -user-token, alert-webhook-url, alert-syslog, alert-script, or hosted-alert-slack-url where the plan forwards alerts.',
  },
  'unknown-alert': {
    sentence: 'No open alert matches.',
    hint: 'GET C/alerts lists the open alerts.',
    cli: '`manager-cli alert list` lists the open alerts.',
  },
  'unknown-silence': {
    sentence: 'No silence has this id.',
    hint: 'GET C/silences lists the silences of a cluster, GET /api/global/silences those of all clusters.',
    cli: '`manager-cli silence list` lists the silences of a cluster, `manager-cli silence list-global` those of all clusters.',
  },
  'backup-refused': {
    sentence: 'The backup cannot be made as it is configured.',
    hint: 'Correct the setting, or install the program, that the message names.',
  },
  'backup-failed': {
    sentence: 'The copy that was made is not a valid backup, and was removed.',
    hint: 'C/jobs/{job} has the lines of its program.',
    cli: '`manager-cli jobs <number>` has the lines of its program.',
  },
  'job-cancelled': { sentence: 'The job was cancelled.', hint: 'Ask for it again when it is wanted.' },
  'job-interrupted': {
    sentence: 'The job was interrupted by something more urgent.',
    hint: 'C/jobs shows whether it was begun again; else ask for it again.',
    cli: '`manager-cli jobs` shows whether it was begun again; else ask for it again.',
  },
  'plan-needed': {
    sentence: 'Data would be removed that no other server has: the plan must be confirmed.',
    hint: 'Read the plan that the message names, and repeat the request with its id.',
    cli: 'Read the plan that --plan shows, and repeat the command with its id (--confirm).',
  },
  'plan-changed': {
    sentence: 'The confirmed plan is not the present one: the situation has changed.',
    hint: 'Read the new plan, and confirm that one.',
    cli: 'Read the new plan (--plan), and confirm that one.',
  },
  'unknown-job': {
    sentence: 'No job has this number.',
    hint: 'List the jobs with GET C/jobs.',
    cli: 'List the jobs with `manager-cli jobs`.',
  },
  'unknown-test': {
    sentence: 'No test has this name.',
    hint: 'List them with GET C/tests.',
    cli: 'List them with `manager-cli test list`.',
  },
  'unknown-table': {
    sentence: 'No checksum of such a table is known.',
    hint: 'List the tables with GET C/schema, those that were compared with GET C/checksums; names are as the database has them.',
    cli: 'List the tables with `manager-cli server tables <server>`, those that were compared with `manager-cli checksum list`; names are as the database has them.',
  },
  'unknown-proxy': {
    sentence: 'No proxy of the cluster has this id, name or address.',
    hint: 'List the proxies with GET /api/clusters/{cluster}/topology/proxies.',
    cli: 'List the proxies with `manager-cli proxy list`.',
  },
  'data-exists': {
    sentence: 'Data that the manager did not create already exists there.',
    hint: 'The message gives the path; force=true keeps the data aside, or removes them where the action is a removal.',
    cli: 'The message gives the path; --force keeps the data aside, or removes them where the action is a removal.',
  },
  'ssh-unreachable': {
    sentence: 'A host cannot be reached over SSH.',
    hint: 'Check that the host is up, that sshd runs there, and that its port is open to the manager.',
  },
  'ssh-rejected': {
    sentence: 'A host refuses the SSH login.',
    hint: 'Check onpremise-ssh-credential and onpremise-ssh-private-key.',
  },
  'ssh-host-key': {
    sentence: 'The SSH host key is not trusted.',
    hint: 'The message names the known-hosts file; correct its line if the new key is right.',
  },
  'script-failed': {
    sentence: 'A script or tool failed.',
    hint: 'Run it manually as the user of the manager to see its whole output; fix it, then retry.',
  },
  'unregistered-task': {
    sentence: 'No task of the job script has this name.',
    hint: 'share/doc/jobs.md lists the tasks.',
  },
  undecodable: {
    sentence: 'The lines of a host cannot be decoded.',
    hint: 'Send JSON with `data` (base64), or `server` and `log` with the token of the order.',
  },
  undecryptable: {
    sentence: 'The lines of a host were not sealed with the password of the monitor.',
    hint: 'Check MYSQL_ROOT_PASSWORD of the script and db-servers-credential.',
  },
  'host-task-failed': {
    sentence: 'A task of the job script on a database’s host failed.',
    hint: 'The message has its last line; the log of the job has the others. bin/manager-cli jobs shows both.',
  },
  'no-recovery': {
    sentence: 'Nothing that is stored leads to this point in time.',
    hint: 'The message names what is missing: choose another target or an earlier backup; GET C/backups lists them.',
    cli: 'The message names what is missing: choose another target or an earlier backup; `manager-cli backups` lists them.',
  },
  'no-room': {
    sentence: 'There is not enough free space for it.',
    hint: 'Free space on the file system that the message names, or choose another file system or host; then retry.',
  },
  'restore-failed': {
    sentence: 'A backup could not be restored.',
    hint: 'The log of the job has the lines of the tools. Restore another backup, and start a new one.',
  },
  'transfer-failed': {
    sentence: 'Bytes did not pass from one end to the other.',
    hint: 'The message names the program, host or file that failed, with its last line; nothing of it is stored. Fix it, then retry.',
  },
  'transfer-stalled': {
    sentence: 'A transfer did not move.',
    hint: 'Check the program or the host at the end that the message names, and the network path to it.',
  },
  'checksum-differs': {
    sentence: 'Stored bytes are not those that were stored.',
    hint: 'Do not restore from it. Check the disk or the object storage, and make a new backup.',
  },
  'place-failed': {
    sentence: 'The place where backups are kept cannot be used.',
    hint: 'Check the path, address, login and space that the message names.',
  },
  'no-key': {
    sentence: 'A key of encrypted backups is missing.',
    hint: 'Put the key file of the cluster back from your copy of it: without the key they cannot be decrypted.',
  },
  'http-failed': {
    sentence: 'An HTTP server gave no valid answer.',
    hint: 'Check that the server at the named address is up and that its certificate is trusted.',
  },
  'git-missing': {
    sentence: 'The program git is not installed on the host of the manager.',
    hint: 'Install git 2.31 or later, or empty git-url.',
  },
  'git-failed': {
    sentence: 'The copy of the configuration repository in the working directory cannot be used.',
    hint: 'Check free space and permissions of the working directory. It can be removed: it is fetched again.',
  },
  'repository-away': {
    sentence: 'The configuration repository cannot be reached.',
    hint: 'Check git-url, the git host and the network to it. Changes wait and are pushed when it answers.',
  },
  'repository-login': {
    sentence: 'The git host refused the login.',
    hint: 'Set git-username and git-acces-token to an account that may push to the repository.',
  },
  'repository-moved': {
    sentence: 'The configuration repository has commits that the manager has not read yet.',
    hint: 'Nothing needs to be done: they are read, then the push is tried again.',
  },
  'unknown-commit': {
    sentence: 'The configuration repository has no such commit.',
    hint: 'List its commits with GET /api/repository/commits.',
    cli: 'List its commits with `manager-cli repository commits`.',
  },
  'secret-in-clear': {
    sentence: 'A file of the configuration contains a secret in clear, and is not committed.',
    hint: 'Create a key (bin/manager keygen), restart, then set the named settings again: they are saved encrypted.',
  },
  'proxy-failed': {
    sentence: 'The proxy configuration does not match what the manager applied.',
    hint: 'Check that the proxy is up and accepts the login of the manager. The manager retries.',
  },
  'archive-failed': { sentence: 'The configuration archive could not be built.', hint: 'Run the configurator check.' },
  'archive-missing': {
    sentence: 'No configuration archive exists for the server.',
    hint: 'Build it again with POST /api/clusters/{cluster}/actions/regenerate-configs.',
    cli: 'Build it again with `manager-cli cluster regenerate-configs`.',
  },
  'nothing-recorded': {
    sentence: 'Nothing of the cluster was recorded in this time.',
    hint: 'Ask for another time, or switch monitoring-recording on.',
  },
  'file-unreadable': {
    sentence: 'A file cannot be read.',
    hint: 'Give the user of the manager read permission on the named file, or restore it from a copy.',
  },
  'file-unwritable': { sentence: 'A file cannot be written.', hint: 'Check free space and permissions.' },
  'bad-configuration': { sentence: 'The configuration has errors.', hint: 'Every error is listed with file and line.' },
  'bad-secret': {
    sentence: 'An encrypted secret cannot be decrypted.',
    hint: 'Check that the key file is the one the secret was encrypted with.',
  },
  'cannot-listen': {
    sentence: 'The manager cannot listen on an address.',
    hint: 'Check that the port is free and that the address belongs to this machine (api-port, api-bind, http-port, http-bind-address).',
  },
  'bad-certificate': {
    sentence: 'The TLS certificate cannot be used.',
    hint: 'Use RSA of at least 2048 bits or ECDSA on secp384r1 or stronger, with SHA-256 or better.',
  },
  'not-owner': {
    sentence: 'Another instance of the manager owns the cluster, or this one cannot prove that it does.',
    hint: 'Its owner, which WARN0362 names, was not reached from here: ask there, or repeat; with ERR00181 wait until etcd answers, with ERR00055 until the arbitrator does.',
  },
  'other-manager': {
    sentence: 'Another manager acts on the servers of the cluster; this one changes nothing.',
    hint: 'Ask the other manager, at the address in the message, or stop it: this one acts a few seconds later.',
  },
  'changed-elsewhere': {
    sentence: 'Another instance of the manager changes the same settings at the same time.',
    hint: 'Read the settings again, then repeat the change if it is still needed.',
  },
  'store-unreachable': {
    sentence: 'etcd does not answer, or refuses what was asked for.',
    hint: 'Check the members of etcd, cluster-store-endpoints, the TLS files and the user.',
  },
  observing: {
    sentence: 'The cluster is only observed: nothing is changed.',
    hint: 'Set monitoring-observe to false to let the manager and its users change the cluster.',
    cli: '`manager-cli setting switch monitoring-observe off` lets the manager and its users change the cluster.',
  },
  'wrong-state': {
    sentence: 'The cluster is not in a state that allows this.',
    hint: 'Bring the cluster to the state named in the message, then retry.',
  },
  unreachable: { sentence: 'The manager cannot be reached.', hint: 'Check address, port and certificate.' },
  unsupported: {
    sentence: 'This is not supported here.',
    hint: 'Change what the message names, or use another action.',
  },
  internal: { sentence: 'Internal error of the manager.', hint: 'Please report it with the log lines around it.' },
} as const satisfies Record<string, FailureRow>

export type FailureCode = keyof typeof failures

/** Where a failure is read: by callers of the API, or on the command line. */
export type Surface = 'api' | 'cli'

/** What can be done about it, in the words of the surface. */
export function hintOf(code: FailureCode, surface: Surface): string {
  const { hint, cli }: FailureRow = failures[code]
  return surface === 'cli' ? (cli ?? hint) : hint
}
