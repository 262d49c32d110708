// Options of a program as a setting has them: words, split at blanks; quotes keep blanks together. No shell reads them.

export function splitWords(text: string): readonly string[] {
  return [...text.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  )
}
