import { Command, Option } from 'commander'
import { parseTemplateRequest } from '../../contract/templates.ts'
import { AppError } from '../../errors.ts'
import { addRequestOptions, type Given, once } from '../capture/options.ts'
import { toOrders } from '../capture/orders.ts'
import { withIdleCapturing } from '../idle-capturing.ts'
import { getProjectId } from '../storage.ts'
import { printable } from '../table.ts'

export function createCommand(): Command {
  const command = new Command('create')
    .description('Keep a request as a template, and print the id of the template.')
    .argument('[urls...]', 'addresses of pages; - reads them from the input')
    .addOption(new Option('--name <text>', 'the name of the template').argParser(once(String)))
    .option(
      '--other-pages',
      'runs may name other pages of the same origins, even if the template has secrets',
    )
    .addOption(
      new Option('--from <file>', 'read addresses or one request from a file; - is the input').argParser(
        once(String),
      ),
    )
  return addRequestOptions(command).addHelpText('after', EXPLANATION).action(createTemplate)
}

const EXPLANATION = `
  npx proofsheet template create --name Nightly --full-page https://example.com/ https://example.com/pricing
  npx proofsheet template create --name "With a login" --from request.json

The options and the file are those of \`proofsheet capture\`. A JSON file may also contain the name: the output of
\`template show\` can be edited and used as the file. It contains no secrets, so add them again. Secrets are stored
encrypted.`

interface AllGiven extends Given {
  readonly name?: string
  readonly otherPages?: true
  readonly from?: string
  readonly project?: string
}

async function createTemplate(
  urls: readonly string[],
  { name, otherPages, project, ...given }: AllGiven,
): Promise<void> {
  const [order, ...others] = await toOrders(urls, given)
  if (!order || others.length > 0) throw new AppError('bad_request', 'a template has exactly one request')
  // Fields that `template show` prints in addition to the request.
  const {
    templateId: _,
    created: __,
    changed: ___,
    last: ____,
    ...request
  } = order.request as typeof order.request & Record<'templateId' | 'created' | 'changed' | 'last', unknown>
  const body = { ...request, ...(name !== undefined && { name }), ...(otherPages && { otherPages }) }
  if (!('name' in body)) throw new AppError('bad_request', 'the template needs a name: --name "Nightly"')
  const template = await withIdleCapturing(async ({ storage, capturing, config }) => {
    const { mistakes } = parseTemplateRequest(body, config.limits)
    if (mistakes) {
      throw new AppError('bad_request', mistakes.map((each) => printable(order.tell(each))).join('\n'))
    }
    return await capturing.templates.create(await getProjectId(storage, project), body, Date.now())
  })
  process.stdout.write(`${template.templateId}\n`)
  process.stderr.write(
    `Template "${printable(template.name)}" is ready. Run it with:\n  npx proofsheet template run ${template.templateId}\n`,
  )
}
