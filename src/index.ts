/** For programs that embed the service: three calls to run it, and the types of its answers. */

export { type Config, ConfigError, readConfig } from './config/config.ts'
export type { Problem } from './contract/problem.ts'
export type { JobResult, RootResult } from './contract/results.ts'
export { openService, type Service } from './service/service.ts'
export { openStorage, type Storage } from './service/storage.ts'
