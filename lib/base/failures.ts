// Every way an action can fail: one row each. Codes are part of the interface: never renumbered, only retired.

export interface FailureRow {
  /** What it means, one sentence. */
  readonly sentence: string
  /** What the caller can do. */
  readonly hint: string
}

export const failures = {
  'unknown-cluster': { sentence: 'No cluster has this name.', hint: 'List the clusters with GET /api/clusters.' },
  'unknown-server': {
    sentence: 'No server of the cluster has this id, name or address.',
    hint: 'List the servers with GET /api/clusters/{cluster}/topology/servers.',
  },
  'unknown-setting': { sentence: 'No setting has this name.', hint: 'See share/doc/settings.md for the list.' },
  'setting-without-effect': {
    sentence: 'The name is recognised, but this version has nothing that it could set.',
    hint: 'bin/manager --explain-config lists the names of the configuration that have no effect.',
  },
  'unknown-change': {
    sentence: 'The history holds no such change of a setting.',
    hint: 'settings/history lists those that can be undone.',
  },
  'setting-grant': {
    sentence: 'The user may change settings, but not this one.',
    hint: 'Ask an administrator for the grant named in the message.',
  },
  'unknown-route': { sentence: 'No such address in the API.', hint: 'See /api-docs for the addresses.' },
  'wrong-method': {
    sentence: 'The address does not support this method.',
    hint: 'The Allow header lists the supported methods.',
  },
  'check-negative': { sentence: 'The check answers no.', hint: 'Nothing needs to be done.' },
  'unknown-topology': { sentence: 'No topology has this name.', hint: 'Use one of the names the message lists.' },
  'unknown-variable': {
    sentence: 'The server has no configuration difference of this name.',
    hint: 'List them with GET S/variables-drift.',
  },
  'unknown-tag': {
    sentence: 'No rule defines this tag.',
    hint: 'List the tags with GET C/tags, or see dist/doc/tags.md.',
  },
  'tag-conflict': {
    sentence: 'The tag contradicts one that is set.',
    hint: 'Remove the other tag first, or retry with replace=true.',
  },
  'wrong-scope': { sentence: 'The setting belongs to another scope.', hint: 'Use the route of that scope.' },
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
  },
  'too-large': { sentence: 'The request is too large.', hint: 'Send less than 1 MB.' },
  'not-logged-in': {
    sentence: 'The request carries no valid token.',
    hint: 'Log in with POST /api/login, or manager-cli login.',
  },
  'wrong-credentials': {
    sentence: 'User or password is wrong.',
    hint: 'Check both; repeated failures lock the login.',
  },
  'locked-out': { sentence: 'Too many failed logins.', hint: 'Wait three minutes, then try again.' },
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
  },
  'primary-failed': { sentence: 'The primary is down.', hint: 'Use failover, not switchover.' },
  'primary-alive': { sentence: 'The primary is alive.', hint: 'Use switchover, not failover.' },
  'no-primary': { sentence: 'The cluster has no primary.', hint: 'See the findings of the cluster.' },
  'no-candidate': { sentence: 'No replica can take over.', hint: 'GET C/failover/explain says why for each.' },
  vetoed: { sentence: 'A safety rule refuses this.', hint: 'GET C/failover/explain names the rule and its inputs.' },
  'long-writes': {
    sentence: 'Long writes are running on the primary.',
    hint: 'Let them end or stop them; the message lists each.',
  },
  'replication-login': {
    sentence: 'The new primary refuses the login of the replication account: no replica could follow it.',
    hint: 'Run the statement in the message on the primary, or correct replication-credential, then retry.',
  },
  'rolled-back': {
    sentence: 'The operation failed and was undone; the old primary is writable again.',
    hint: 'Fix the cause of the failed step, then retry.',
  },
  'step-failed': {
    sentence: 'A step of the operation failed.',
    hint: 'Fix the cause given in the message; GET C/jobs shows which steps were done.',
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
  },
  'protected-thread': {
    sentence: 'The thread belongs to replication, the server itself or the manager.',
    hint: 'Use the replication actions to stop replication; other protected threads cannot be killed here.',
  },
  'is-primary': { sentence: 'The server is the primary.', hint: 'Choose a replica, or retry with force.' },
  'not-replicating': { sentence: 'The server is not a replica.', hint: 'It has no replication to start or stop.' },
  'orchestrator-failed': {
    sentence: 'The orchestrator failed.',
    hint: 'Fix the cause given in the message, then retry; the error log of the server may give details.',
  },
  'unknown-token': { sentence: 'No API token has this id.', hint: 'List the tokens with GET /api/tokens.' },
  'unknown-user': {
    sentence: 'No user has this name.',
    hint: 'List the users of the cluster with GET C/users, or manager-cli user list.',
  },
  'user-exists': { sentence: 'A user with this name already exists.', hint: 'Update it, or choose another name.' },
  disabled: { sentence: 'This function is disabled.', hint: 'Enable the setting named in the message.' },
  'mail-failed': {
    sentence: 'The mail could not be sent.',
    hint: 'Check mail-smtp-addr, mail-smtp-user and mail-smtp-password against what the mail server answered.',
  },
  'unknown-runbook': {
    sentence: 'No finding and no alert has this name.',
    hint: 'List the pages with GET /api/runbooks; codes are written ERR00012 or WARN0091.',
  },
  'alert-failed': {
    sentence: 'An alert could not be sent.',
    hint: 'Check the settings of the channel and what its receiver answered.',
  },
  'no-channel': {
    sentence: 'No channel of alerts is configured.',
    hint: 'Set mail-to, alert-slack-url, alert-teams-url, alert-pushover-app-token and -user-token, alert-webhook-url, alert-syslog or alert-script.',
  },
  'unknown-alert': {
    sentence: 'No open alert matches.',
    hint: 'GET C/alerts lists the open alerts.',
  },
  'unknown-silence': {
    sentence: 'No silence has this id.',
    hint: 'GET C/silences lists the silences of a cluster, GET /api/global/silences those of all clusters.',
  },
  'unknown-job': { sentence: 'No job has this number.', hint: 'List the jobs with GET C/jobs.' },
  'unknown-proxy': {
    sentence: 'No proxy of the cluster has this id, name or address.',
    hint: 'List the proxies with GET /api/clusters/{cluster}/topology/proxies.',
  },
  'data-exists': {
    sentence: 'Data that the manager did not create already exists there.',
    hint: 'The message gives the path; force=true keeps the data aside, or removes them where the action is a removal.',
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
  'http-failed': {
    sentence: 'An HTTP server gave no valid answer.',
    hint: 'Check that the server at the named address is up and that its certificate is trusted.',
  },
  'proxy-failed': {
    sentence: 'The proxy configuration does not match what the manager applied.',
    hint: 'Check that the proxy is up and accepts the login of the manager. The manager retries.',
  },
  'archive-failed': { sentence: 'The configuration archive could not be built.', hint: 'Run the configurator check.' },
  'archive-missing': { sentence: 'No configuration archive exists for the server.', hint: 'Regenerate it.' },
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
  observing: {
    sentence: 'The cluster is only observed: nothing is changed.',
    hint: 'Set monitoring-observe to false to let the manager and its users change the cluster.',
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
