// The story of a disk that syncs slowly: commits take seconds while the server answers, and a finding says so; a busy server has none.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { newDirectory } from '../support/machine/directories.js'
import { type ProtectedCluster, startProtectedCluster } from '../support/manager/protected-cluster.js'
import { absent } from '../support/run/absent.js'
import { durable, end, load, logLines, progress } from '../support/stories/story.js'

/** Makes every fsync and fdatasync of a program wait for as many milliseconds as the file says. */
const source = (file: string): string => `#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
static void lag(void) {
  int ms = 0;
  FILE *file = fopen("${file}", "r");
  if (file) { if (fscanf(file, "%d", &ms) != 1) ms = 0; fclose(file); }
  struct timespec wait = { ms / 1000, ms % 1000 * 1000000L };
  if (ms > 0) nanosleep(&wait, 0);
}
int fsync(int fd) { lag(); return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd); }
int fdatasync(int fd) { lag(); return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd); }
`

/** Undefined where there is no compiler. */
function buildDelay(): { readonly library: string; set(ms: number): void } | undefined {
  const directory = newDirectory('slow-disk')
  const [code, library, file] = ['slow.c', 'slow.so', 'delay'].map((name) => path.join(directory, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(file, '0')
  writeFileSync(code, source(file))
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, code, '-ldl'], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return { library, set: (ms) => writeFileSync(file, `${ms}`) }
}

const disk = buildDelay()
if (!disk) absent('a primary whose disk syncs slowly', 'there is no C compiler')
else
  describe('a primary whose disk syncs slowly', () => {
    let cluster: ProtectedCluster
    before(async () => {
      const slow = { host: '127.0.0.1', prefix: ['env', `LD_PRELOAD=${disk.library}`] }
      cluster = await startProtectedCluster({ count: 2, options: durable, networks: [slow] })
      await cluster.ready()
    })
    after(async () => {
      disk.set(0)
      await end(cluster)
    })

    it('is reported while commits take seconds, and not while it is only busy', async () => {
      const writers = load(cluster, { count: 6 })
      await progress(writers, 300)
      expect(logLines(cluster, 'OPENED WARN0258')).to.deep.equal([])
      disk.set(6_000)
      await cluster.opens('WARN0258')
      expect(logLines(cluster, 'OPENED WARN0258').join()).to.match(/\d+ sessions? waited more than 2 s in a commit/)
      disk.set(0)
      await writers.stop()
    })
  })
