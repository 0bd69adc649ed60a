import { acceptingSuite } from './accepting-suite.ts'
import { attemptsSuite } from './attempts-suite.ts'
import { capturesAtOnceSuite } from './captures-at-once-suite.ts'
import { capturesModelSuite } from './captures-model-suite.ts'
import { progressSuite } from './progress-suite.ts'
import type { StoreDriver } from './store-driver.ts'
import { turnsSuite } from './turns-suite.ts'

/** What every store must do with captures. */
export function capturesSuite(name: string, driver: StoreDriver): void {
  acceptingSuite(name, driver)
  turnsSuite(name, driver)
  attemptsSuite(name, driver)
  progressSuite(name, driver)
  capturesAtOnceSuite(name, driver)
  capturesModelSuite(name, driver)
}
