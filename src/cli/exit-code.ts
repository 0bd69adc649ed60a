/** 0: done. 1: not done, or not all of it. 2: the command or the configuration makes no sense. */
export type ExitCode = 0 | 1 | 2
