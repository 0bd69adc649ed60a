import { plainOf } from '../../../src/contract/options/plain.ts'
import { CheckField, type Form, PlainFields, TextField } from './fields.tsx'
import { RowsField } from './rows-field.tsx'

/** Steps on the page before the picture. */
export function PageOptions({ form }: { form: Form }) {
  return (
    <fieldset class="group">
      <legend>Page</legend>
      <PlainFields form={form} names={plainOf('Before the picture', 'Picture')} />
      <TextField
        form={form}
        name="loadingTime"
        label="Longest time for a page"
        hint="in ms"
        inputMode="numeric"
        placeholder="15000"
      />
      <TextField
        form={form}
        name="hide"
        label="Hide elements"
        hint="a CSS selector per line"
        rows={2}
        placeholder={'.chat\n#ad'}
      />
      <RowsField
        form={form}
        name="clicks"
        legend="Clicks"
        hint="in this order, before the picture"
        one="click"
        columns={[
          { name: 'elementId', label: 'Element', placeholder: '#menu' },
          {
            name: 'loadingTime',
            label: 'Then wait, in ms',
            placeholder: 'until at rest',
            inputMode: 'numeric',
          },
        ]}
        empty={{ elementId: '', loadingTime: '' }}
      />
      <TextField
        form={form}
        name="css"
        label="Custom CSS"
        hint="added to the page"
        rows={3}
        placeholder=".ad { visibility: hidden }"
      />
      <CheckField
        form={form}
        name="failOnStatus"
        label="Treat error pages as failures"
        hint="a page with an HTTP status of 400 or more gets no picture"
      />
    </fieldset>
  )
}
