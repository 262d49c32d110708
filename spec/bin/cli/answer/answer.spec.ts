// Answers of the API as people read them: alerts, jobs, top, host figures, settings, trees.
import { expect } from 'chai'
import { renderAlerts } from '../../../../bin/cli/answer/alerts.js'
import { bytes, duration, renderHost } from '../../../../bin/cli/answer/host.js'
import { renderJobs, tasksOf } from '../../../../bin/cli/answer/jobs.js'
import { renderSeries } from '../../../../bin/cli/answer/series.js'
import { renderChange } from '../../../../bin/cli/answer/setting.js'
import { renderTimeline } from '../../../../bin/cli/answer/timeline.js'
import { renderTop } from '../../../../bin/cli/answer/top.js'
import { branchText, treeOf } from '../../../../bin/cli/answer/tree.js'
import { renderedIds } from '../../../../bin/cli/row/renderers.js'
import { rowCommands } from '../../../../bin/cli/row/row-commands.js'
import type { Setting } from '../../../../http/client/api/generated.js'
import type { WireServer } from '../../../../http/client/wire.js'

describe('renderAlerts', () => {
  const alert = { number: 'ERR00012', desc: 'No primary was found.', hint: 'Check the servers.' }

  it('lists errors before warnings, each with what to do', () => {
    const text = renderAlerts({ errors: [alert], warnings: [{ number: 'WARN0023', desc: 'Probes failed.' }] })
    const lines = text.split('\n').slice(0, 3)
    expect(text).to.contain('\n\nmanager-cli runbook <code> ')
    expect(lines.map((line) => line.split(/ {2,}/))).to.deep.equal([
      ['CODE', 'SEVERITY', 'FINDING'],
      ['ERR00012', 'error', 'No primary was found. Check the servers.'],
      ['WARN0023', 'warning', 'Probes failed.'],
    ])
  })

  it('names the cluster of each where they are of several, and the manager for its own', () => {
    const text = renderAlerts({ errors: [{ ...alert, cluster: '' }], warnings: [{ ...alert, cluster: 'shop' }] })
    expect(text)
      .to.match(/^CLUSTER /)
      .and.match(/\n\(manager\) /)
      .and.match(/\nshop /)
    expect(renderAlerts({ errors: [], warnings: [] })).to.equal('No open findings.')
  })
})

describe('renderJobs', () => {
  it('is a line a job, oldest first, with how each ended', () => {
    const task = { task: 'start', server: 'db1:3306', user: 'ann', start: 1_795_440_000 }
    const jobs = {
      servers: {
        b: { tasks: [{ ...task, id: 2, state: 1, phase: 'running' } as const] },
        a: { tasks: [{ ...task, id: 1, state: 4, phase: 'done', end: 1_795_440_003 } as const] },
      },
    }
    const lines = renderJobs(tasksOf(jobs)).split('\n')
    expect(lines[1]).to.match(/^ +1 +start +db1:3306 +done +2026-\S+Z +3/)
    expect(lines[2]).to.match(/^ +2 +start +db1:3306 +running .* -/)
    expect(renderJobs([])).to.equal('No jobs.')
  })

  it('says how far a running one is, and what another one waits for', () => {
    const task = { task: 'backup-logical', server: 'db1:3306', user: 'ann', start: 1_795_440_000 }
    const progress = { bytes: 3 * 2 ** 20, totalBytes: 2 ** 30, rate: 2 ** 19, secondsLeft: 2_042 }
    const lines = renderJobs([
      { ...task, id: 1, state: 1, phase: 'running', progress },
      { ...task, id: 2, state: 0, phase: 'queued', waits: 'job 1 (backup-logical of db1)' },
    ]).split('\n')
    expect(lines[1]).to.match(/running .* 3\.0 MiB of 1\.0 GiB, 512 KiB\/s, 34 min 2 s left/)
    expect(lines[2]).to.match(/queued .* waits for job 1 \(backup-logical of db1\)/)
  })
})

describe('renderTimeline', () => {
  const entry = {
    ...{ id: 'e2', at: 1_795_246_812_345, until: 1_795_246_813_102, server: null, level: 'ALERTOK' },
    kind: 'operation',
    ...{ code: 'failover', text: 'Failover succeeded after 757 ms', user: 'manager', data: { steps: [] } },
  } as const
  const finding = { ...entry, kind: 'finding', code: 'ERR00012', text: 'No primary was found.', until: null } as const

  it('is a line an entry: when, how long, who, what, and how older ones are asked for', () => {
    const lines = renderTimeline({ entries: [entry, finding], next: 'e1' }).split('\n')
    expect(lines[0]?.split(/ +/)).to.deep.equal(['TIME', 'SECONDS', 'KIND', 'USER', 'WHAT'])
    expect(lines[1]).to.match(/^2026-\S+Z +0\.8 +operation +manager +Failover succeeded after 757 ms$/)
    expect(lines[2]).to.match(/finding +manager +ERR00012 No primary was found\.$/)
    expect(lines.at(-1)).to.equal('There are older entries: --before e1')
  })

  it('names the cluster in that of the fleet, and how far a search went', () => {
    const text = renderTimeline({
      entries: ['shop', null].map((cluster) => ({ ...entry, cluster })),
      next: null,
      reach: entry.at,
    })
    expect(text)
      .to.match(/ shop +operation /)
      .and.match(/ \(manager\) +operation /)
    expect(text).to.contain('The search went back to 2026-')
    expect(renderTimeline({ entries: [], next: null })).to.equal('No entries.')
  })
})

describe('renderSeries', () => {
  it('is a line a series with what was measured: no points, and no series that nobody measured', () => {
    const of = { unit: 'seconds', server: 'db1', instance: 'h:1' }
    const text = renderSeries({
      ...{ from: 1_795_246_800_000, to: 1_795_246_830_000, step: 10 },
      series: [
        { ...of, name: 'lag', values: [null, 4, 1.23456, null] },
        { ...of, name: 'up', server: null, instance: null, values: [1] },
        { ...of, name: 'nothing', values: [null, null] },
      ],
    })
    expect(text).to.match(/\nlag +h:1 +seconds +2 +1\.235 +2\.617 +4 +1\.235\n/)
    expect(text).to.match(/\nup +\(cluster\) +seconds +1 +1 +1 +1 +1\n/)
    expect(text).to.contain('a point every 10 s').and.contain('Nothing was measured of 1 of 3 series.')
  })
})

describe('renderTop', () => {
  const textOf = (text: string) => ({ String: text, Valid: text !== '' })
  const numberOf = (value: number) => ({ Float64: value, Valid: true })
  const session = {
    id: 7,
    user: 'app',
    host: 'h:1',
    db: textOf('shop'),
    state: textOf(''),
    info: textOf(''),
    ...{ time: numberOf(3), timeMs: numberOf(3_000), progress: numberOf(0), rowsSent: 0, rowsExamined: 0 },
    url: 'db1:3306',
  }
  const graphs = [
    {
      name: 'Queries',
      data: [
        { name: 'Select', value: 2 },
        { name: 'Insert', value: 0 },
      ],
    },
  ]

  it('shows what a server does: the rates that are not zero, its sessions, and how many are idle', () => {
    const busy = { ...session, command: 'Query', info: textOf('SELECT 1') }
    const text = renderTop([
      { id: 'db1', url: 'db1:3306', header: { graphs }, processlist: [busy, { ...session, command: 'Sleep' }] },
    ])
    expect(text).to.match(/^db1:3306\n {2}Queries a second: Select 2\n/)
    expect(text).to.match(/\n +7 +app +h:1 +shop +3 +Query +SELECT 1\n {2}1 idle session\.$/)
  })
})

describe('renderHost', () => {
  it('is a table of what is used of what there is', () => {
    const host = {
      ...{
        hostname: 'm1',
        cpuCores: 4,
        cpuPercent: 50,
        memoryTotalBytes: 8e9,
        memoryUsedBytes: 2e9,
        memoryUsedPercent: 25,
      },
      ...{ diskPath: '/data', diskTotalBytes: 100e9, diskUsedBytes: 96e9, diskUsedPercent: 96 },
    }
    const process = {
      pid: 7,
      rssBytes: 120e6,
      heapAllocBytes: 40e6,
      heapSysBytes: 60e6,
      goroutines: 12,
      uptimeSeconds: 90_061,
    }
    const text = renderHost({ host, process })
    expect(text)
      .to.match(/\nmemory +2\.0 GB +8\.0 GB +25\.0 /)
      .and.match(/\nmanager +120\.0 MB .* up 1 d 1 h/)
  })

  it('writes sizes and durations in the units that people use', () => {
    expect([0, 999, 1e3, 1_444_175_872].map(bytes)).to.deep.equal(['0 B', '999 B', '1.0 kB', '1.4 GB'])
    expect([0, 46, 61, 3600, 90_061].map(duration)).to.deep.equal(['0 s', '46 s', '1 min 1 s', '1 h', '1 d 1 h'])
  })
})

describe('renderChange', () => {
  const setting: Setting = { name: 'failover-limit', value: 9, origin: 'saved', immutable: false }

  it('says that a saved change is kept', () => {
    expect(renderChange(setting)).to.equal('failover-limit is 9 now (saved: kept over restarts).')
  })

  it('says where a change ends at the next restart, and what to write to keep it', () => {
    const text = renderChange({ ...setting, origin: 'runtime', immutable: true, given: '/etc/m.toml:7' })
    expect(text).to.contain('until the next restart').and.contain('/etc/m.toml:7 gives another value')
    expect(text).to.contain('write failover-limit = 9 there')
  })

  it('says what keeps changes where monitoring-save-config is off', () => {
    expect(renderChange({ ...setting, origin: 'runtime' })).to.contain('monitoring-save-config is off')
  })
})

describe('treeOf', () => {
  const server = (name: string, source?: string, number = 0): WireServer => ({
    serverId: Number(name.slice(2)),
    ...{ id: name, name, host: name, port: '3306', state: source ? 'Slave' : 'Master', failCount: 0, readOnly: 'ON' },
    ...{
      isMaintenance: false,
      prefered: false,
      ignored: false,
      semiSyncMasterStatus: false,
      semiSyncSlaveStatus: false,
    },
    replicationHealth: '',
    ...(source
      ? {
          replications: [
            {
              masterHost: { String: source, Valid: true },
              masterPort: { String: '3306', Valid: true },
              masterServerId: number,
              secondsBehindMaster: { Int64: 2, Valid: true },
            },
          ],
        }
      : {}),
  })
  const lines = (servers: readonly WireServer[]) => treeOf(servers).map(branchText)

  it('puts each server below its source, whatever their order', () => {
    expect(lines([server('db3', 'db2'), server('db1'), server('db2', 'db1'), server('db4', 'db1')])).to.deep.equal([
      'db1:3306  Master',
      '├─ db2:3306  Slave, 2 s behind',
      '│  └─ db3:3306  Slave, 2 s behind',
      '└─ db4:3306  Slave, 2 s behind',
    ])
  })

  it('finds a source that replicas reach at another address by its number', () => {
    expect(lines([server('db2', '10.1.0.1', 1), server('db1')])).to.deep.equal([
      'db1:3306  Master',
      '└─ db2:3306  Slave, 2 s behind',
    ])
  })

  it('shows every server once, in a ring and below a source that is no member', () => {
    expect(
      lines([server('db1', 'db2'), server('db2', 'db1'), server('db3', 'elsewhere')]).map((line) => line.trim()),
    ).to.have.lengthOf(3)
  })
})

describe('renderers', () => {
  it('are of rows that there are', () => {
    const ids = new Set(rowCommands.map(({ route }) => route.id))
    expect(renderedIds.filter((id) => !ids.has(id))).to.deep.equal([])
  })
})
