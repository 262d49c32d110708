// Disks of servers that sync as slowly as a spec says: fsync and fdatasync of the program wait.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { newDirectory } from '../machine/directories.js'

export interface SlowDisk {
  /** What a server is started with: place it before its program. */
  readonly prefix: readonly string[]
  /** Every sync waits so long from now on; 0: none waits. */
  set(ms: number): void
}

/** Waits for as many milliseconds as the file says that the environment names. */
const source = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static void lag(void) {
  int ms = 0;
  const char *name = getenv("SYNC_DELAY");
  FILE *file = name ? fopen(name, "r") : 0;
  if (file) { if (fscanf(file, "%d", &ms) != 1) ms = 0; fclose(file); }
  struct timespec wait = { ms / 1000, ms % 1000 * 1000000L };
  if (ms > 0) nanosleep(&wait, 0);
}
int fsync(int fd) { lag(); return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd); }
int fdatasync(int fd) { lag(); return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd); }
`

/** So many disks, each with a delay of its own; undefined where there is no C compiler. */
export function slowDisks(count: number): readonly SlowDisk[] | undefined {
  const directory = newDirectory('slow-disk')
  const [code, library] = [path.join(directory, 'slow.c'), path.join(directory, 'slow.so')]
  writeFileSync(code, source)
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, code, '-ldl'], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return Array.from({ length: count }, (_, index) => {
    const file = path.join(directory, `delay-${index}`)
    const set = (ms: number) => writeFileSync(file, `${ms}`)
    set(0)
    return { prefix: ['env', `LD_PRELOAD=${library}`, `SYNC_DELAY=${file}`], set }
  })
}
