import { DEVICES, type Device } from '../../../src/contract/options/devices.ts'
import { plainOf } from '../../../src/contract/options/plain.ts'
import { type Login, NEW } from './draft.ts'
import { type Form, MistakesAt, PlainFields, SelectField, ShortField } from './fields.tsx'
import { RowsField } from './rows-field.tsx'

const LANDSCAPE = / landscape$/
const DEVICE_CHOICES: readonly (readonly [string, string])[] = [
  ['', 'None'],
  ...Object.entries(DEVICES).map(
    ([name, [width, height]]) => [name, `${name} (${width} × ${height})`] as const,
  ),
]

const PAIR = { name: '', value: '' }
/** The full page is chosen beside the sizes. */
const VISITOR = plainOf('Window', 'Visitor').filter((name) => name !== 'fullPage')

/** The emulated device and visitor. */
export function VisitorOptions({ form }: { form: Form }) {
  const chooseDevice = (device: string) => {
    const { draft } = form
    // A device has a window of its own. Without a device there must be a size.
    if (device !== '') form.change({ device, sizes: [], otherSizes: [] })
    else
      form.change(
        draft.sizes.length + draft.otherSizes.length > 0 ? { device } : { device, sizes: NEW.sizes },
      )
  }
  return (
    <fieldset class="group">
      <legend>Visitor</legend>
      <SelectField
        form={form}
        name="device"
        label="Device"
        hint={hintOf(form.draft.device)}
        choices={DEVICE_CHOICES}
        onChoose={chooseDevice}
      />
      <PlainFields form={form} names={VISITOR} />
      <RowsField
        form={form}
        name="headers"
        legend="Headers"
        hint="sent to the host of the page only"
        one="header"
        columns={[
          { name: 'name', label: 'Name', placeholder: 'Authorization' },
          { name: 'value', label: 'Value', isSecret: true },
        ]}
        empty={PAIR}
      />
      <RowsField
        form={form}
        name="cookies"
        legend="Cookies"
        hint="set for the host of the page only"
        one="cookie"
        columns={[
          { name: 'name', label: 'Name', placeholder: 'session' },
          { name: 'value', label: 'Value', isSecret: true },
        ]}
        empty={PAIR}
      />
      <LoginField form={form} />
    </fieldset>
  )
}

function hintOf(device: string): string {
  const known = DEVICES[device as Device]
  if (!known) return 'its window, scale and touch screen'
  const [width, height, scale] = known
  const side = LANDSCAPE.test(device) ? ', on its side' : ''
  return `${width} × ${height}${side}, scale ${scale}`
}

const LOGIN_FIELDS: readonly {
  readonly name: keyof Login
  readonly label: string
  readonly placeholder?: string
  readonly isSecret?: boolean
}[] = [
  { name: 'usernameField', label: 'Field of the user name', placeholder: '#email' },
  { name: 'username', label: 'User name' },
  { name: 'passwordField', label: 'Field of the password', placeholder: '#password' },
  { name: 'password', label: 'Password', isSecret: true },
  { name: 'button', label: 'Button', placeholder: '#login' },
  { name: 'origins', label: 'Form also at', placeholder: 'https://sso.example.com' },
]

function LoginField({ form }: { form: Form }) {
  const { login } = form.draft
  return (
    <fieldset class="field rows-field" aria-describedby="login-mistakes">
      <legend>
        Login <span class="soft">fields by CSS selector; stored encrypted until the page is captured</span>
      </legend>
      <div class="login-fields">
        {LOGIN_FIELDS.map(({ name, ...input }) => (
          <ShortField
            key={name}
            {...input}
            isMistaken={form.mistakes.login !== undefined}
            value={login[name]}
            onText={(text) => form.change({ login: { ...login, [name]: text } })}
          />
        ))}
      </div>
      <MistakesAt form={form} place="login" />
    </fieldset>
  )
}
