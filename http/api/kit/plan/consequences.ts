// What each action comes to, one row per action: how it is confirmed, and how it is taken back.
import type { Confirmation, Preview } from '../../../../lib/model/operation/preview.js'

export interface Consequence {
  /** `none`: harmless; `yes`: it interrupts users or takes part of the redundancy; `name`: it removes something. */
  readonly confirm: Confirmation
  /** Null: nothing takes it back. */
  readonly undo: string | null | ((preview: Preview) => string | null)
  /** What it removes. */
  readonly removes?: string
}

const back: Consequence['undo'] = ({ oldPrimary }) =>
  oldPrimary === undefined ? 'Switch over again.' : 'Switch over back to the former primary, once it replicates.'

const nothing = 'Nothing is changed that has to be taken back.'
const settled = 'Settings > history: undo the change.'
const instrument = 'Toggle it again.'

/** By the id of the row; `*` stands for any rest. The first that fits holds. */
const table: Readonly<Record<string, Consequence>> = {
  'cluster.failover': { confirm: 'yes', undo: null },
  'cluster.switchover': { confirm: 'yes', undo: back },
  'server.switchover': { confirm: 'yes', undo: back },
  'scheduled.begin': { confirm: 'yes', undo: 'Cancel it before it begins.' },
  'scheduled.cancel': { confirm: 'none', undo: 'Schedule it again.' },
  'cluster.rolling': { confirm: 'yes', undo: 'Cancel the rolling work; servers that were restarted stay so.' },
  'cluster.rolling-reprov': { confirm: 'yes', undo: 'Cancel the rolling work before a server has caught up.' },
  'server.reprovision': { confirm: 'yes', undo: 'Cancel the rolling work before the server has caught up.' },
  'cluster.optimize': { confirm: 'yes', undo: 'Cancel the rolling work; rebuilt tables stay so.' },
  'cluster.cancel-rolling-*': { confirm: 'yes', undo: 'Begin the rolling work again.' },
  'replication.bootstrap': { confirm: 'yes', undo: 'Clean up replication: it ends all of it.' },
  'replication.cleanup': {
    ...{ confirm: 'name', undo: 'Form a topology again; binary logs do not come back.' },
    removes: 'The replication of every server and its binary logs are removed.',
  },
  'repository.push': { confirm: 'none', undo: nothing },
  'repository.apply': { confirm: 'yes', undo: 'Roll the repository back to the commit before.' },
  'repository.reject': { confirm: 'yes', undo: 'Roll the repository back to the rejected commit.' },
  'repository.roll-back': { confirm: 'yes', undo: 'Roll back to the newest commit before it.' },
  'server.accept-public-key': { confirm: 'yes', undo: 'Accept its former key.' },
  'server.relocate': { confirm: 'yes', undo: 'Relocate it to its former source.' },
  'server.start-slave': { confirm: 'none', undo: 'Stop replication on it.' },
  'server.stop-slave': { confirm: 'yes', undo: 'Start replication on it.' },
  'server.toogle-read-only': { confirm: 'yes', undo: instrument },
  'server.reset-master': { confirm: 'name', undo: null, removes: 'The binary logs of the server are deleted.' },
  'server.reset-slave-all': {
    ...{ confirm: 'name', undo: 'Relocate it: that gives it a source again.' },
    removes: 'The source of the server and its position are forgotten.',
  },
  'server.skip-replication-event': {
    ...{ confirm: 'name', undo: null },
    removes: 'The server is without the changes of the skipped transaction.',
  },
  'server.reset-pfs-queries': {
    confirm: 'name',
    undo: null,
    removes: 'Digests and samples of statements are deleted.',
  },
  'server.flush-logs': { confirm: 'none', undo: nothing },
  'server.wait-innodb-purge': { confirm: 'none', undo: nothing },
  'server.set-long-query-time': { confirm: 'none', undo: 'Set the former value.' },
  'server.optimize': { confirm: 'yes', undo: 'Cancel the job; rebuilt tables stay so.' },
  'server.toogle-*': { confirm: 'none', undo: instrument },
  'server.maintenance': { confirm: 'yes', undo: instrument },
  'server.set-maintenance': { confirm: 'yes', undo: 'End its maintenance.' },
  'server.del-maintenance': { confirm: 'none', undo: 'Put it into maintenance.' },
  'server.set-*ed': { confirm: 'none', undo: 'Give the server its former rating.' },
  'services.provision': { confirm: 'yes', undo: 'Unprovision the services: that removes what was created.' },
  'services.unprovision': {
    confirm: 'name',
    undo: null,
    removes: 'Every database and proxy is removed with its data.',
  },
  'services.apply': { confirm: 'none', undo: 'Deliver the former configuration again.' },
  'server.start': { confirm: 'none', undo: 'Stop it.' },
  'server.stop': { confirm: 'yes', undo: 'Start it.' },
  'server.restart': { confirm: 'yes', undo: null },
  'server.provision': { confirm: 'yes', undo: 'Unprovision it: that removes it.' },
  'server.unprovision': { confirm: 'name', undo: null, removes: 'The server is removed with its data.' },
  'server.apply-config': { confirm: 'none', undo: 'Deliver the former configuration again.' },
  'proxy.provision': { confirm: 'yes', undo: 'Unprovision it: that removes it.' },
  'proxy.unprovision': { confirm: 'name', undo: 'Provision it again.', removes: 'The proxy is removed.' },
  'proxy.start': { confirm: 'none', undo: 'Stop it.' },
  'proxy.stop': { confirm: 'yes', undo: 'Start it.' },
  'backup.*': { confirm: 'none', undo: 'Cancel the job before it is complete.' },
  'server.backup-error-log': { confirm: 'none', undo: null },
  'server.backup-slowquery-log': { confirm: 'none', undo: null },
  'server.backup-*': { confirm: 'none', undo: 'Cancel the job before it is complete.' },
  'recovery.prove': { confirm: 'none', undo: 'Cancel the job; nothing in the cluster changes.' },
  'recovery.tables': { confirm: 'none', undo: 'Delete the dump file; nothing in the cluster changes.' },
  'server.pitr': { confirm: 'name', undo: 'What it held is dumped before; a reseed lets it follow the primary again.' },
  'recovery.all': {
    confirm: 'name',
    undo: 'What the primary holds is dumped to a file first. An interrupted recovery can be given up: the servers then stay as they are, closed.',
  },
  'recovery.new-server': { confirm: 'yes', undo: 'Cancel the job, or remove the server: nothing else is changed.' },
  'recovered.attach': { confirm: 'yes', undo: null },
  'recovered.remove': { confirm: 'name', undo: 'Recover again.', removes: 'The new server is removed with its data.' },
  'recovery.release': { confirm: 'yes', undo: 'Ask for the recovery again.' },
  'server.reseed': {
    confirm: 'yes',
    undo: 'What only the server has is saved first; cancelling the reseed ends it.',
  },
  'server.reseed-cancel': { confirm: 'yes', undo: 'Reseed it again.' },
  'server.settle-divergence': { confirm: 'yes', undo: null },
  'query.kill-*': { confirm: 'yes', undo: null },
  'passwords.rotate': { confirm: 'yes', undo: 'Cancel the rotation while it waits.' },
  'passwords.cancel': { confirm: 'yes', undo: 'Rotate again.' },
  'trial.sysbench': { confirm: 'yes', undo: 'Cancel the job: what it created is removed.' },
  'test.*': { confirm: 'yes', undo: 'Cancel the job: what the test changed is taken back.' },
  'trial.start-traffic': { confirm: 'none', undo: 'Stop the traffic; the schema stays.' },
  'trial.switch-traffic': { confirm: 'none', undo: 'Do it again; the schema stays.' },
  'trial.stop-traffic': { confirm: 'none', undo: 'Start the traffic.' },
  'server.run-jobs': { confirm: 'none', undo: null },
  'server.fetch-logs': { confirm: 'none', undo: null },
  'server.rotate-log-tables': { confirm: 'yes', undo: null },
  'server.analyze-tables': { confirm: 'none', undo: nothing },
  'checksum.repair': { confirm: 'yes', undo: null },
  'schema.scan': { confirm: 'none', undo: nothing },
  'checksum.*': { confirm: 'none', undo: nothing },
  'server.receive-task': { confirm: 'none', undo: null },
  'server.job-state': { confirm: 'none', undo: null },
  'session.code': { confirm: 'none', undo: 'It expires within ten minutes.' },
  'tokens.create': { confirm: 'none', undo: 'Revoke the token.' },
  'tokens.revoke': { confirm: 'yes', undo: null },
  'registration.begin': { confirm: 'none', undo: 'Unregister this manager once it is registered.' },
  'registration.confirm': { confirm: 'yes', undo: 'Unregister this manager.' },
  'registration.end': {
    ...{ confirm: 'name', undo: 'Register again; its projects begin empty.' },
    removes: 'The projects of this manager at the git host, and its subscription.',
  },
  'users.add': { confirm: 'none', undo: 'Drop the user.' },
  'users.update': {
    confirm: 'yes',
    undo: 'Update the user again with its former access; its former password is not kept.',
  },
  'users.drop': { confirm: 'yes', undo: 'Add the user again; it gets another password.' },
  'users.send-credentials': { confirm: 'none', undo: null },
  'clusters.add': { confirm: 'none', undo: 'Delete the cluster.' },
  'clusters.delete': {
    ...{ confirm: 'name', undo: 'Add the cluster and its servers again.' },
    removes: 'The settings, the journal and the history of the cluster leave the manager; its servers go on running.',
  },
  'alerts.acknowledge': { confirm: 'none', undo: 'Take the acknowledgement back.' },
  'alerts.unacknowledge': { confirm: 'none', undo: 'Acknowledge it again.' },
  'alerts.test': { confirm: 'none', undo: null },
  'silences.add': { confirm: 'none', undo: 'End the silence.' },
  'silences.drop': { confirm: 'none', undo: 'Add a silence again.' },
  'global.silence': { confirm: 'yes', undo: 'End the silence.' },
  'global.end-silence': { confirm: 'none', undo: 'Add a silence again.' },
  'cluster.reset-failover-control': { confirm: 'yes', undo: null },
  'cluster.reset-sla': { confirm: 'none', undo: null },
  'cluster.regenerate-configs': { confirm: 'none', undo: nothing },
  'trial.send-vault-token': { confirm: 'none', undo: null },
  'member.add': { confirm: 'none', undo: 'Drop the server.' },
  'member.drop': { confirm: 'yes', undo: 'Add the server again.' },
  'member.drop-named': { confirm: 'yes', undo: 'Add the server again.' },
  'settings.reload': { confirm: 'yes', undo: 'Restore the files and reload again.' },
  'settings.*': { confirm: 'none', undo: settled },
  'graphite.set': { confirm: 'none', undo: 'Write the former list again.' },
  'graphite.reload': { confirm: 'none', undo: 'Write the former lists and reload again.' },
  'graphite.reset': { confirm: 'yes', undo: 'Write the former lists again.' },
  'plans.reload': { confirm: 'none', undo: 'Restore the list and reload again.' },
  'tags.*': { confirm: 'none', undo: settled },
  'certificates.rotate': { confirm: 'yes', undo: null },
  'certificates.reload': { confirm: 'none', undo: 'Restore the files and reload again.' },
  'job.cancel': { confirm: 'yes', undo: 'Begin the work again.' },
  'server.cancel-job': { confirm: 'yes', undo: 'Begin the work again.' },
  '*.bootstrap-token': { confirm: 'none', undo: 'It expires.' },
  'configuration.accept': { confirm: 'none', undo: 'Clear it.' },
  'configuration.preserve': { confirm: 'none', undo: 'Clear it.' },
  'configuration.clear': { confirm: 'none', undo: 'Accept or preserve it.' },
  'configuration.discover': { confirm: 'yes', undo: settled },
  'configuration.apply-dynamic': { confirm: 'yes', undo: 'Change the tags back and apply again.' },
}

const patterns = Object.entries(table).map(
  ([pattern, consequence]) =>
    [new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`), consequence] as const,
)

/** Undefined for a row that has no plan. */
export const consequenceOf = (id: string): Consequence | undefined =>
  patterns.find(([pattern]) => pattern.test(id))?.[1]
