import { projectPath } from '../../src/contract/paths.ts'
import { type Attack, attackWith } from './attack.ts'
import { toPost } from './requests.ts'

const PAGES = 100

/** Row 11: more pages than can be captured. */
export const flood: Attack = {
  id: '11a',
  what: `requests for ${PAGES} pages each in a loop, 4 connections`,
  env: { CAPTURE_CONCURRENCY: '0' },
  ownWorld: true,
  async start({ world: { attacker, site }, service }) {
    const url = service.url + projectPath(attacker.projectId)
    const urls = Array.from({ length: PAGES }, (_, index) => ({ url: `${site}/${index}`, name: `${index}` }))
    const body = JSON.stringify({ screenshotParameter: { width: 1200, height: 720 }, urls })
    return await attackWith({
      url,
      connections: 4,
      requests: [toPost(url, attacker.write, body)],
      manner: 'loop',
    })
  },
}
