// Scripts that a rule takes from share/scripts: a line `%%SCRIPT:folder/name.sh%%` stands for the text of that file.

const pattern = /^( *)%%SCRIPT:([A-Za-z0-9_/.-]+)%%$/gm

/** The files that a text names, in their order, relative to share/scripts. */
export const namedScripts = (text: string): readonly string[] =>
  [...text.matchAll(pattern)].map(([, , file = '']) => file)

/** The text with its scripts, indented as the lines that name them. */
export const insertScripts = (text: string, scripts: ReadonlyMap<string, string>): string =>
  text.replace(pattern, (line, indent: string, file: string) => {
    const script = scripts.get(file)
    return script === undefined ? line : script.trimEnd().replace(/^(?=.)/gm, indent)
  })
