/** 0: done. 1: not done, or not all of it. 2: a mistake in the command or the settings. */
export type ExitCode = 0 | 1 | 2
