// Words of the wire in the words of this house: the only place of the dashboard where the old ones stand.

const words: Readonly<Record<string, string>> = { master: 'primary', slave: 'replica' }

/** "master-slave" → "primary-replica", "MasterFailed" stays a name: only whole words between signs are replaced. */
export const inHouseWords = (text: string): string =>
  text.replace(/(?<![a-z])(master|slave)(s?)(?![a-z])/gi, (all, word: string, plural: string) => {
    const house = `${words[word.toLowerCase()] ?? word}${plural}`
    return all[0] === all[0]?.toUpperCase() ? house[0]?.toUpperCase() + house.slice(1) : house
  })
