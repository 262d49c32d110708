// What stories of backups ask again and again: the list, the jobs, the end of a job.
import { expect } from 'chai'
import type { ProtectedCluster } from '../manager/protected-cluster.js'
import { eventually } from '../wait.js'

const C = '/api/clusters/story'

export interface RecordView {
  readonly id: number
  readonly source: string
  readonly backupTool: string
  readonly backupStrategy: number
  readonly dest: string
  readonly size: number
  readonly rawSize: number
  readonly binLogFileName: string
  readonly binLogFilePos: number
  readonly binLogUuid: string
  readonly previous: number
  readonly encrypted: boolean
  readonly places?: readonly string[]
}

export interface JobView {
  readonly id: number
  readonly task: string
  readonly server: string
  readonly phase: string
  readonly user: string
  readonly result?: string
}

export const listBackups = async ({ manager }: ProtectedCluster): Promise<readonly RecordView[]> =>
  (await manager.get<readonly { backup: RecordView }[]>(`${C}/backups`)).map(({ backup }) => backup)

/** Oldest first. */
export async function listJobs({ manager }: ProtectedCluster): Promise<readonly JobView[]> {
  const { servers } = await manager.get<{ servers: Record<string, { tasks: JobView[] }> }>(`${C}/jobs`)
  return Object.values(servers)
    .flatMap(({ tasks }) => tasks)
    .toSorted((a, b) => a.id - b.id)
}

export const jobLog = async ({ manager }: ProtectedCluster, id: number): Promise<string> =>
  (await manager.get<{ log: string[] }>(`${C}/jobs/${id}`)).log.join('\n')

/** Resolves with a job when it has ended. */
export async function jobEnds(cluster: ProtectedCluster, id: number): Promise<JobView> {
  const find = async () => (await listJobs(cluster)).find((job) => job.id === id)
  await eventually(
    async () => !['queued', 'running'].includes((await find())?.phase ?? 'queued'),
    () => `job ${id} ends\n${cluster.manager.log().slice(-3_000)}`,
  )
  return (await find()) ?? expect.fail(`there was a job ${id}`)
}

/** Makes one, with success; the latest backup of the list. */
export async function makeBackup(cluster: ProtectedCluster, path: string): Promise<RecordView> {
  const reply = await cluster.manager.post(`${C}/${path}`)
  expect(reply.body, cluster.manager.log().slice(-4_000)).to.equal('Backup initiated successfully')
  expect(reply.status).to.equal(200)
  return (await listBackups(cluster)).at(-1) ?? expect.fail('it is listed')
}

export async function setSetting({ manager }: ProtectedCluster, name: string, value: string): Promise<void> {
  const action = value === '' ? `clear/${name}` : `set/${name}/${encodeURIComponent(value)}`
  const reply = await manager.post(`${C}/settings/actions/${action}`)
  expect(reply.status, reply.body).to.equal(200)
}
