// `names`: for completion scripts. Prints the live names of a kind, or nothing; it never prompts and prints no errors.
import { Argument, type Command } from 'commander'
import { createFleetSession } from '../../../../http/client/session.js'
import type { Context } from '../../kit/context.js'
import { endpointsOf } from '../../kit/endpoints.js'
import { type NameKind, nameKinds, readNames } from '../../kit/names.js'
import { EXIT } from '../../output/exit.js'
import { print } from '../../output/output.js'

export function addNames(program: Command, { flags }: Pick<Context, 'flags'>): void {
  program
    .command('names', { hidden: true })
    .description('print live names, for shell completion')
    .addArgument(new Argument('<kind>', 'kind of names').choices(Object.keys(nameKinds)))
    .argument('[word]', 'the word before it, where the names depend on that')
    .action(async (kind: NameKind, word: string | undefined) => {
      const names = await readNames(kind, { word, session: quietSession(flags()), flags: flags() })
      if (names.length > 0) print(names.join('\n'))
      // A call that is still under way is not waited for.
      process.exit(EXIT.ok)
    })
}

/** Uses a kept token or an API token; without one there are no names. */
const quietSession = (flags: ReturnType<Context['flags']>) =>
  createFleetSession(endpointsOf(flags), {
    ...{ user: flags.user, password: async () => undefined },
    ...(flags.apiToken === undefined ? {} : { token: flags.apiToken }),
  })
