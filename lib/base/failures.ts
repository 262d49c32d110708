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
  'unknown-change': {
    sentence: 'No such change of a setting is kept.',
    hint: 'settings/history lists those that can be undone.',
  },
  'setting-grant': {
    sentence: 'The user may change settings, but not this one.',
    hint: 'Ask an administrator for the grant that the message names.',
  },
  'unknown-route': { sentence: 'Nothing answers at this address.', hint: 'See /api-docs for the addresses.' },
  'wrong-method': {
    sentence: 'The address does not take this method.',
    hint: 'The Allow header lists those it takes.',
  },
  'check-negative': { sentence: 'The check answers no.', hint: 'Nothing needs to be done.' },
  'unknown-topology': { sentence: 'No topology has this name.', hint: 'Use one of the names the message lists.' },
  'unknown-variable': {
    sentence: 'No difference of the server has this name.',
    hint: 'List them with GET S/variables-drift.',
  },
  'unknown-tag': {
    sentence: 'No rule defines this tag.',
    hint: 'List the tags with GET C/tags, or see share/doc/tags.md.',
  },
  'tag-conflict': {
    sentence: 'The tag contradicts one that is set.',
    hint: 'Drop the other one first, or ask with replace=true.',
  },
  'wrong-scope': { sentence: 'The setting belongs to another scope.', hint: 'Use the route of that scope.' },
  'wrong-value': {
    sentence: 'The value does not fit the setting.',
    hint: 'share/doc/settings.md lists every setting with what it takes.',
  },
  'cluster-exists': { sentence: 'A cluster of this name exists already.', hint: 'Choose another name.' },
  'server-exists': { sentence: 'The cluster monitors this server already.', hint: 'Nothing needs to be done.' },
  'bad-name': { sentence: 'The name is not allowed.', hint: 'Use letters, digits, dot, dash and underscore.' },
  'bad-request': {
    sentence: 'The request cannot be read.',
    hint: 'Correct the field that the message names; /api-docs shows each request.',
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
  'no-grant': { sentence: 'The user lacks the grant this needs.', hint: 'Ask an administrator for the grant named.' },
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
  'rolled-back': {
    sentence: 'The operation failed and was undone; the old primary is writable again.',
    hint: 'Remove what made the named step fail, then ask again.',
  },
  'step-failed': {
    sentence: 'A step of the operation failed.',
    hint: 'Remove the reason that the message gives; GET C/jobs shows what was done and what was not.',
  },
  'deadline-passed': { sentence: 'The answer did not come in time.', hint: 'The work may go on; look at the state.' },
  'actor-gone': { sentence: 'The cluster was restarted or removed meanwhile.', hint: 'Try again.' },
  'mailbox-full': { sentence: 'The cluster has too many requests waiting.', hint: 'Try again after the time given.' },
  quarantined: {
    sentence: 'The cluster was stopped after repeated crashes.',
    hint: 'See its crash record, then restart it.',
  },
  'sql-failed': {
    sentence: 'The database refused a statement.',
    hint: 'Mend what its error says (often a missing grant), then try again.',
  },
  'sql-refused': { sentence: 'Nothing listens at the database address.', hint: 'Is the server running?' },
  'sql-silent': { sentence: 'The database did not answer in time.', hint: 'Is the server hung or cut off?' },
  'sql-rejected': { sentence: 'The database refused the login.', hint: 'Check the credentials and max_connections.' },
  'no-sample': {
    sentence: 'No whole statement of this digest is kept.',
    hint: 'Switch on what the message says, let the statement run once more, then ask again.',
  },
  'unsafe-statement': {
    sentence: 'The statement is none that can be asked about without a risk.',
    hint: 'The message says why; ask the database by hand when you know what it does.',
  },
  'nothing-runs': { sentence: 'Nothing runs that could be ended.', hint: 'List the threads with GET S/processlist.' },
  'protected-thread': {
    sentence: 'The thread belongs to replication, the server itself or the manager.',
    hint: 'Stop replication by its own action; the others are left alone.',
  },
  'is-primary': { sentence: 'The server is the primary.', hint: 'Choose a replica or force it.' },
  'not-replicating': { sentence: 'The server is no replica.', hint: 'Nothing to start or stop there.' },
  'orchestrator-failed': {
    sentence: 'The orchestrator could not do it.',
    hint: 'Mend what the message says it met, then ask again; the log of the server may tell more.',
  },
  'unknown-token': { sentence: 'No API token has this id.', hint: 'List the tokens with GET /api/tokens.' },
  'unknown-user': {
    sentence: 'No user has this name.',
    hint: 'List the users of the cluster with GET C/users, or manager-cli user list.',
  },
  'user-exists': { sentence: 'A user of this name exists already.', hint: 'Update it, or choose another name.' },
  disabled: { sentence: 'This is switched off.', hint: 'Set the setting that the message names.' },
  'mail-failed': {
    sentence: 'A mail could not be sent.',
    hint: 'Check mail-smtp-addr, mail-smtp-user and mail-smtp-password against what the mail server answered.',
  },
  'unknown-job': { sentence: 'No job has this number.', hint: 'List the jobs with GET C/jobs.' },
  'unknown-proxy': {
    sentence: 'No proxy of the cluster has this id, name or address.',
    hint: 'List the proxies with GET /api/clusters/{cluster}/topology/proxies.',
  },
  'data-exists': {
    sentence: 'Data that the manager did not make is in the way.',
    hint: 'The message says where; force=true sets it aside, or removes it where that is asked for.',
  },
  'ssh-unreachable': {
    sentence: 'A host cannot be reached over SSH.',
    hint: 'Is the host up, does sshd run there, and is its port open to the manager?',
  },
  'ssh-rejected': {
    sentence: 'A host refuses the SSH login.',
    hint: 'Check onpremise-ssh-credential and onpremise-ssh-private-key.',
  },
  'ssh-host-key': {
    sentence: 'A host shows an SSH key that is not trusted.',
    hint: 'The message names the known-hosts file; correct its line if the key is right.',
  },
  'script-failed': {
    sentence: 'A script or tool failed.',
    hint: 'Run it by hand as the user of the manager to see all it says; mend it, then ask again.',
  },
  'http-failed': {
    sentence: 'An HTTP address did not answer as it should.',
    hint: 'Check the address named and what answers there: is it up, is its certificate known?',
  },
  'proxy-failed': {
    sentence: 'A proxy does not do what it was told.',
    hint: 'Look at the proxy named: is it up, does it take the login of the manager? It is told again.',
  },
  'archive-failed': { sentence: 'The configuration archive could not be built.', hint: 'Run the configurator check.' },
  'archive-missing': { sentence: 'No configuration archive exists for the server.', hint: 'Regenerate it.' },
  'file-unreadable': {
    sentence: 'A file cannot be read.',
    hint: 'Let the user of the manager read the file named, or put it back from a copy.',
  },
  'file-unwritable': { sentence: 'A file cannot be written.', hint: 'Check free space and permissions.' },
  'bad-configuration': { sentence: 'The configuration has faults.', hint: 'Every fault is listed with file and line.' },
  'bad-secret': {
    sentence: 'An encrypted secret cannot be opened.',
    hint: 'Is the key file the one it was made with?',
  },
  'cannot-listen': {
    sentence: 'An address cannot be listened on.',
    hint: 'Is the port taken, or the address not of this machine? See api-port, api-bind, http-port, http-bind-address.',
  },
  'bad-certificate': {
    sentence: 'The TLS certificate cannot be used.',
    hint: 'Use RSA of at least 2048 bits or ECDSA on secp384r1 or stronger, with SHA-256 or better.',
  },
  'wrong-state': {
    sentence: 'The cluster is not in a state that allows this.',
    hint: 'Bring the cluster to what the message asks for, then ask again.',
  },
  unreachable: { sentence: 'The manager cannot be reached.', hint: 'Check address, port and certificate.' },
  unsupported: {
    sentence: 'This is not supported here.',
    hint: 'Choose another way, or change what the message says stands against it.',
  },
  internal: { sentence: 'A fault in the manager itself.', hint: 'Please report it with the log lines around it.' },
} as const satisfies Record<string, FailureRow>

export type FailureCode = keyof typeof failures
