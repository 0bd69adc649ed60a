/** What an embedding program needs: the service in three calls, and the types of what it answers. */
export { openService, type Service } from './app.ts'
export { type Config, ConfigError, readConfig } from './config/config.ts'
export type { Problem } from './contract/problem.ts'
export type { JobResult, RootResult } from './contract/results.ts'
export { openStorage, type Storage } from './storage.ts'
