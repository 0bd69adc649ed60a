// @module-tag browser

import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { openTestCamera, paint, serveSite } from '../support/camera/camera.ts'
import { useServer } from '../support/servers/use-servers.ts'
import { GREEN } from './use-site.ts'

const VISITS = 20
const OTHERS = ['other1.test', 'other2.test', 'other3.test']
const site = useServer(() =>
  serveSite({
    '/': (answer, { headers }) => {
      const port = headers.host?.split(':')[1]
      const frames = OTHERS.map((host) => `<iframe src="http://${host}:${port}/arrives"></iframe>`).join('')
      answer.setHeader('content-type', 'text/html')
      answer.end(
        paint(
          GREEN,
          `${frames}<script>
            for (const frame of document.querySelectorAll('iframe')) {
              frame.addEventListener('load', () => { frame.src = '/moved' }, { once: true })
            }
          </script>`,
        ),
      )
    },
    '/arrives': paint(GREEN),
    '/moved': paint(GREEN),
  }),
)

/** Without `camera/keep-drawing.ts`, one visit in ten draws nothing until its loading time is over. */
test('a page draws after frames have left their processes, on a machine that is far too busy', async () => {
  const loops = Array.from({ length: 3 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  )
  onTestFinished(() => loops.forEach((loop) => void loop.kill('SIGKILL')))
  const at = `site.test:${site.port}`
  const camera = openTestCamera({ allow: [at, ...OTHERS.map((host) => `${host}:${site.port}`)].join() })
  onTestFinished(() => camera.close())
  const cookies = [{ name: 'secret', value: 'kept' }]
  for (let visit = 0; visit < VISITS; visit++) {
    const { seen } = await camera.take(`http://${at}/`, { loadingTime: 60_000, cookies })
    expect(seen.marks).not.toContain('restless')
  }
}, 900_000)
