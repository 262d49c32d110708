// Pages of the shipped Prometheus alerts that belong to no single finding, by the name of the alert.
import { cli, type Page, shell } from './kit/page.js'
import { channels, failoverOnRequest, overview, reachable, verdict } from './kit/steps.js'

export interface AlertPage extends Page {
  /** What has happened, in one sentence. */
  readonly sentence: string
}

const managerLog = shell('journalctl --unit=manager --since=-1h')

export const alertPages = {
  ManagerDown: {
    sentence: 'Prometheus gets no metrics from the manager.',
    means:
      'The manager is down, or Prometheus cannot reach it. Databases and proxies run on as they are; no failover takes place, and no finding is reported. This page is also printed by manager-cli runbook ManagerDown, which needs no manager.',
    causes: [
      'The process ended and is not restarted: a configuration that it refuses, a full disk, no memory.',
      'A firewall, another port, or an expired certificate between Prometheus and the manager.',
    ],
    check: [
      'On the host of the manager (if it is run by systemd, under the name of its unit there):',
      shell('systemctl status manager'),
      managerLog,
      'Whether its configuration is valid:',
      shell('bin/manager check --config /etc/manager/config.toml'),
      'From the host of Prometheus:',
      shell('curl --silent --show-error http://<manager>:10001/api/status'),
    ],
    act: [
      'Start it. It reads its journal first and finishes or undoes an operation that it was in.',
      shell('systemctl start manager'),
      cli('wait --for healthy --timeout 2m'),
      'If a primary dies meanwhile, get the manager running first: it then fails over with all of its checks.',
    ],
    avoid: [
      'Do not promote a replica by hand while the manager can be started: it would not know of it.',
      'Do not start a second manager elsewhere with the same servers.',
    ],
  },
  ManagerRestartsOften: {
    sentence: 'The manager started more than twice within half an hour.',
    means: 'Something ends it again and again. Between two starts nothing is monitored, and a failover is delayed.',
    causes: [
      'The kernel ends it for memory.',
      'A fault of the manager.',
      'A script or an orchestrator restarts it, for example by a health check that is too strict.',
    ],
    check: [managerLog, shell('dmesg --level=err,warn | grep -i oom'), cli('global metrics')],
    act: ['Give its host memory, or correct what restarts it. If it ends with an error of its own, report the log.'],
    avoid: ['Do not restart the databases for it.'],
  },
  ManagerLoopLate: {
    sentence: 'A thread of the manager is late.',
    means:
      'Observations made while it is late are discarded: a failover comes later, or not while it lasts. Databases are not concerned.',
    causes: [
      'The host of the manager has no processor time left: other programs, a limit of the container.',
      'More clusters than the host can serve.',
      'Swapping.',
    ],
    check: [cli('global metrics'), shell('top -b -n 1 | head -20'), shell('vmstat 1 5')],
    act: [
      'Give the host processors or memory, or move other programs away.',
      'Until then, probe less often (milliseconds or seconds, as the setting says):',
      cli('setting list'),
    ],
    avoid: ['Do not lower failover-falsepositive-ping-counter to compensate: late observations are not evidence.'],
  },
  ManagerRefusesMany: {
    sentence: 'Many logins or requests to the manager are refused.',
    means:
      'Someone tries passwords, or a program has an old one. After repeated failures an account is locked for a while.',
    causes: ['A script, dashboard or exporter with a changed password or an expired token.', 'An attack.'],
    check: [
      'Users and addresses, in the working directory of the manager:',
      shell('tail -n 100 /var/lib/manager/security.log'),
      cli('token of-cluster'),
    ],
    act: [
      'Correct the program. If it is an attack, close the port to that address, and restrict the listener (api-bind).',
      cli('token revoke <token>'),
    ],
    avoid: ['Do not raise limits or disable locking.'],
  },
  ClusterWithoutPrimary: {
    sentence: 'The cluster has no writable primary that answers.',
    means: 'Clients cannot write. The manager either fails over now, or something blocks it, which it reports.',
    causes: [
      'The primary is down, and a rule blocks the failover (ERR00002, ERR00026, ERR00027, ERR00032, ERR00140).',
      'The primary is read-only (WARN0232).',
      'No primary is known (ERR00012).',
    ],
    check: [...overview, ...verdict, cli('cluster alerts'), ...reachable],
    act: [
      'Each open finding has a page of its own: manager-cli runbook with its code. If a failover is due and must be started:',
      ...failoverOnRequest,
    ],
    avoid: ['Do not open a server by hand before explain says why the manager does not.'],
  },
  ClusterCannotFailOver: {
    sentence: 'The cluster could not fail over now.',
    means: 'The primary works. If it failed now, nothing would replace it: an error is open, or no replica is valid.',
    causes: ['An open error finding.', 'All replicas are behind, stopped, ignored or in maintenance.'],
    check: [...verdict, cli('cluster alerts'), ...overview],
    act: ['Remove the error that is reported: manager-cli runbook with its code.'],
    avoid: ['Do not wait for the morning with a single server: restore one replica.'],
  },
  FailoverHappened: {
    sentence: 'The primary failed and was replaced.',
    means:
      'Writes go to the new primary. What is left: why the old one failed, whether transactions were lost, and whether it returned as a replica.',
    causes: ['The process or host of the old primary died, or it became unreachable for everyone.'],
    check: [
      'The record with what was lost:',
      cli('cluster crashes'),
      ...overview,
      'Why it failed:',
      cli('server errorlog <server> --limit 50'),
    ],
    act: [
      'If the old primary did not return, start it: it becomes a replica.',
      cli('server start <server>'),
      'If it has transactions that the new primary is missing, WARN0186 has the steps.',
    ],
    avoid: ['Do not move the role back before the cause is known.'],
  },
  FailoverFailed: {
    sentence: 'A failover did not succeed.',
    means:
      'It was undone, or ended after the new primary was open. The manager tries again within its limits; clients may be unable to write.',
    causes: [
      'The candidate failed too, or refused a step (privileges, full disk).',
      'The old primary returned in the middle.',
      'It took longer than its deadline.',
    ],
    check: [...overview, 'Its steps with the one that failed:', cli('cluster logs --limit 100'), ...verdict],
    act: [
      'Remove the cause that the log shows. If the manager has used up its attempts (ERR00027), reset them:',
      cli('cluster reset-failover-control'),
    ],
    avoid: ['Do not finish the steps by hand while the manager tries again.'],
  },
  SwitchoverFailed: {
    sentence: 'A switchover did not succeed.',
    means: 'As a rule everything is as before: the old primary takes writes again.',
    causes: [
      'A long transaction or lock kept the writes from being blocked in time.',
      'The candidate fell behind or failed.',
    ],
    check: [
      ...overview,
      'Its steps and the reason:',
      cli('cluster logs --limit 100'),
      cli('server processlist <primary>'),
    ],
    act: [
      'End long transactions, then try again; the plan shows the risks:',
      cli('switchover --plan'),
      cli('switchover'),
    ],
    avoid: ['Do not repeat it without the reason: each attempt blocks writes for a moment.'],
  },
  ProxyDown: {
    sentence: 'A proxy does not answer the manager.',
    means:
      'If its clients cannot use it either, this is an outage for them. The findings ERR00050, ERR00051 and ERR00052 have the steps for each kind.',
    causes: ['Its process or host is down.', 'Its administration port or login was changed.'],
    check: [cli('proxy list'), shell('systemctl status maxscale proxysql haproxy')],
    act: ['Start it; its routes are set again as soon as it answers.', cli('proxy start <proxy>')],
    avoid: ['Do not point clients at a database directly without a plan to undo it: they do not follow a failover.'],
  },
  ReplicaStopped: {
    sentence: 'Replication of a server is stopped.',
    means:
      'It gets older with each write and cannot be elected. ERR00042 has the steps for a stopped SQL thread, ERR00087 those for a stopped receiver.',
    causes: ['An error while applying, a refused login, deleted binary logs.', 'A person or a backup stopped it.'],
    check: channels,
    act: ['If no error is shown:', cli('server start-slave <server>')],
    avoid: ['Do not skip events until it runs.'],
  },
} as const satisfies Readonly<Record<string, AlertPage>>

export type AlertName = keyof typeof alertPages
