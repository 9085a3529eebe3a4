/**
 * What the service says of itself (RFC 7644, section 4). The definitions of attributes are scimmy's; the attributes are
 * those that Intray keeps. Nothing of an organization's stands here, and nothing of scimmy's is written.
 */
import SCIMMY from "scimmy";

/** Most resources of one page. */
export const MOST_RESULTS = 200;

export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
export const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";
export const PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

interface AttributeDefinition {
  name: string;
  subAttributes?: AttributeDefinition[];
  [characteristic: string]: unknown;
}

interface SchemaDescription {
  id: string;
  name: string;
  description: string;
  attributes: AttributeDefinition[];
}

/** The attributes that Intray keeps, and of complex ones the parts. */
const KEPT: Record<string, Record<string, string[] | null>> = {
  [USER_SCHEMA]: {
    userName: null,
    name: ["formatted", "familyName", "givenName"],
    displayName: null,
    active: null,
    emails: ["value", "type", "primary"],
    groups: ["value", "$ref", "display", "type"],
  },
  [GROUP_SCHEMA]: { displayName: null, members: ["value", "$ref", "type"] },
};

/** Where Intray differs from the usual definition. Addresses follow userName. */
const DIFFERENT: Record<string, Record<string, unknown>> = {
  userName: { uniqueness: "server", caseExact: false },
  emails: { mutability: "readOnly" },
};

const DEFINITIONS: SchemaDescription[] = [SCIMMY.Schemas.User, SCIMMY.Schemas.Group].map(
  ({ definition }) => JSON.parse(JSON.stringify(definition.describe())) as SchemaDescription,
);

const NAMES = new Map(
  DEFINITIONS.map(({ id, attributes }) => [id, new Set(attributes.map(({ name }) => name.toLowerCase()))]),
);

/** Whether the RFC defines the attribute (in lower case), kept or not, or an extension may: then it is ignored. */
export function isKnownAttribute(schema: string, attribute: string): boolean {
  return attribute.startsWith("urn:") || NAMES.get(schema)?.has(attribute) === true;
}

export function schemas(base: string): ({ id: string } & Record<string, unknown>)[] {
  return DEFINITIONS.map(({ id, name, description, attributes }) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
    id,
    name,
    description,
    attributes: attributes.flatMap((attribute) => kept(id, attribute)),
    meta: { resourceType: "Schema", location: `${base}/Schemas/${id}` },
  }));
}

function kept(schema: string, attribute: AttributeDefinition): AttributeDefinition[] {
  const parts = KEPT[schema]?.[attribute.name];
  if (parts === undefined) return [];
  const own = { ...attribute, ...DIFFERENT[attribute.name] };
  if (parts === null) return [own];
  return [
    { ...own, subAttributes: (attribute.subAttributes ?? []).filter(({ name }) => parts.includes(name)) },
  ];
}

export function resourceTypes(base: string): ({ id: string } & Record<string, unknown>)[] {
  return (
    [
      ["User", "/Users", USER_SCHEMA, "Members of the organization"],
      ["Group", "/Groups", GROUP_SCHEMA, "Groups of members, which may give roles"],
    ] as const
  ).map(([id, endpoint, schema, description]) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id,
    name: id,
    endpoint,
    description,
    schema,
    schemaExtensions: [],
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${id}` },
  }));
}

export function serviceProviderConfig(base: string): object {
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MOST_RESULTS },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "The organization's directory token, from Settings, Directory",
        specUri: "https://www.rfc-editor.org/info/rfc6750",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}
