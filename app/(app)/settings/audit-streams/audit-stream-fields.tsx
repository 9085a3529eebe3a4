import { TextField } from "@/components/form/text-field.tsx";
import type { FieldErrors } from "@/components/form/use-form.ts";
import { Field, Textarea } from "@/components/ui/field.tsx";
import type { AuditStreamKind } from "@/lib/outbound/audit-streams/audit-stream-schema.ts";

interface Props {
  errors: FieldErrors;
}

/** The fields of a new destination of each kind. */
export function KindFields({ kind, errors }: Props & { kind: AuditStreamKind }) {
  if (kind === "webhook")
    return (
      <TextField
        name="url"
        label="Address"
        type="url"
        description="Public, with https. Calls are signed like calls of webhooks."
        placeholder="https://audit.example.com/intray"
        autoComplete="off"
        error={errors.url}
      />
    );
  if (kind === "syslog")
    return (
      <>
        <div className="grid gap-4 md:grid-cols-[1fr_8rem]">
          <TextField
            name="host"
            label="Server"
            placeholder="logs.example.com"
            autoComplete="off"
            error={errors.host}
          />
          <TextField
            name="port"
            label="Port"
            inputMode="numeric"
            defaultValue="6514"
            autoComplete="off"
            error={errors.port}
          />
        </div>
        <CaField errors={errors} />
      </>
    );
  return (
    <>
      <TextField
        name="url"
        label="Service address"
        type="url"
        placeholder="https://s3.eu-central-1.amazonaws.com"
        autoComplete="off"
        error={errors.url}
      />
      <div className="grid gap-4 md:grid-cols-2">
        <TextField name="bucket" label="Bucket" autoComplete="off" error={errors.bucket} />
        <TextField
          name="region"
          label="Region"
          placeholder="eu-central-1"
          autoComplete="off"
          error={errors.region}
        />
      </div>
      <TextField
        name="prefix"
        label="Prefix"
        description="Begins the name of each object."
        placeholder="intray/"
        autoComplete="off"
        required={false}
        error={errors.prefix}
      />
      <AccessKeyFields errors={errors} />
    </>
  );
}

export function AccessKeyFields({ errors }: Props) {
  return (
    <>
      <TextField name="accessKeyId" label="Access key id" autoComplete="off" error={errors.accessKeyId} />
      <TextField
        name="secretAccessKey"
        label="Secret access key"
        type="password"
        description="Stored encrypted; it is never shown again."
        autoComplete="new-password"
        error={errors.secretAccessKey}
      />
    </>
  );
}

export function CaField({ errors }: Props) {
  return (
    <Field
      id="ca"
      label="CA certificate"
      description="PEM. Leave it empty for a certificate that this machine trusts."
      error={errors.ca}
      required={false}
    >
      {(control) => (
        <Textarea
          {...control}
          name="ca"
          rows={4}
          spellCheck={false}
          autoComplete="off"
          className="font-mono text-[13px]"
        />
      )}
    </Field>
  );
}
