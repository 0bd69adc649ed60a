import { afterAll, beforeAll, onTestFinished, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { openS3Images } from '../../src/images/s3/s3.ts'
import { S3_CREDENTIALS, startS3, type TestS3 } from '../support/s3.ts'
import { imagesSuite } from './images-suite.ts'

/** Another store to run the suite against: its address, with credentials in the environment as for the service. */
const OTHER = process.env['TEST_IMAGES_URL']
let server: TestS3 | undefined
beforeAll(async () => {
  if (OTHER) return
  server = await startS3()
  for (const [name, value] of Object.entries(S3_CREDENTIALS)) vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server?.close()
})

let places = 0
const driver = {
  newPlace: async () =>
    server?.newPlace() ?? (OTHER ?? '').replace(/\/*(\?|$)/, `/proofsheet-test-${Date.now()}-${places++}$1`),
  async open(IMAGES_URL: string) {
    const { images, s3, signingWindowMs: windowMs } = readConfig({ IMAGES_URL })
    if (images.kind !== 's3') throw new Error(`${IMAGES_URL} is not S3`)
    const opened = await openS3Images({ ...images, ...s3, windowMs })
    onTestFinished(() => opened.close())
    return opened
  },
}

imagesSuite('S3', driver)
