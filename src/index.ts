/** For programs that embed the service: three calls to run it, and the types of its answers. */
export { openService, type Service } from './app.ts'
export { type Config, ConfigError, readConfig } from './config/config.ts'
export type { Problem } from './contract/problem.ts'
export type { JobResult, RootResult } from './contract/results.ts'
export { openStorage, type Storage } from './storage.ts'
