// A spec that imports this starts programs by what it tests: a shell, restic, tar. Without it a unit finds none.
export {}
