import * as jwks from "@/app/.well-known/jwks.json/route.ts";
import * as samlAcs from "@/app/api/auth/saml/[id]/acs/route.ts";
import * as samlFinish from "@/app/api/auth/saml/[id]/finish/route.ts";
import * as samlMetadata from "@/app/api/auth/saml/[id]/metadata/route.ts";
import * as samlStart from "@/app/api/auth/saml/[id]/start/route.ts";
import * as engineRun from "@/app/api/engine/run/route.ts";
import * as forgotPassword from "@/app/api/forgot-password/route.ts";
import * as joinAccount from "@/app/api/join/account/route.ts";
import * as joinLook from "@/app/api/join/look/route.ts";
import * as join from "@/app/api/join/route.ts";
import * as setPasswordLook from "@/app/api/set-password/look/route.ts";
import * as setPassword from "@/app/api/set-password/route.ts";
import * as setup from "@/app/api/setup/route.ts";
import * as signInPasskey from "@/app/api/sign-in/passkey/route.ts";
import * as signInWay from "@/app/api/sign-in/way/route.ts";
import * as agentCredential from "@/app/api/v1/agent-credentials/[id]/route.ts";
import * as agentCredentials from "@/app/api/v1/agent-credentials/route.ts";
import * as agentSignIns from "@/app/api/v1/agent-sign-ins/route.ts";
import * as apiKeyPreviousSecret from "@/app/api/v1/api-keys/[id]/previous-secret/route.ts";
import * as apiKeyRotate from "@/app/api/v1/api-keys/[id]/rotate/route.ts";
import * as apiKey from "@/app/api/v1/api-keys/[id]/route.ts";
import * as apiKeys from "@/app/api/v1/api-keys/route.ts";
import * as auditStream from "@/app/api/v1/audit-streams/[id]/route.ts";
import * as auditStreamTest from "@/app/api/v1/audit-streams/[id]/test/route.ts";
import * as auditStreams from "@/app/api/v1/audit-streams/route.ts";
import * as bulkOperationBegin from "@/app/api/v1/bulk-operations/[id]/begin/route.ts";
import * as bulkOperationItems from "@/app/api/v1/bulk-operations/[id]/items/route.ts";
import * as bulkOperation from "@/app/api/v1/bulk-operations/[id]/route.ts";
import * as bulkOperationStop from "@/app/api/v1/bulk-operations/[id]/stop/route.ts";
import * as bulkOperations from "@/app/api/v1/bulk-operations/route.ts";
import * as calendar from "@/app/api/v1/calendar/route.ts";
import * as callRules from "@/app/api/v1/call-rules/route.ts";
import * as callRulesTry from "@/app/api/v1/call-rules/try/route.ts";
import * as connection from "@/app/api/v1/connections/[id]/route.ts";
import * as declineReasons from "@/app/api/v1/decline-reasons/route.ts";
import * as directoryGroup from "@/app/api/v1/directory/groups/[id]/route.ts";
import * as directoryGroups from "@/app/api/v1/directory/groups/route.ts";
import * as directory from "@/app/api/v1/directory/route.ts";
import * as directoryToken from "@/app/api/v1/directory/token/route.ts";
import * as eventsExport from "@/app/api/v1/events/export/route.ts";
import * as events from "@/app/api/v1/events/route.ts";
import * as eventsVerify from "@/app/api/v1/events/verify/route.ts";
import * as group from "@/app/api/v1/groups/[id]/route.ts";
import * as groups from "@/app/api/v1/groups/route.ts";
import * as inputRequestAnswer from "@/app/api/v1/input-requests/[id]/answer/route.ts";
import * as inputRequestAskRequester from "@/app/api/v1/input-requests/[id]/ask-requester/route.ts";
import * as inputRequestAssign from "@/app/api/v1/input-requests/[id]/assign/route.ts";
import * as inputRequestClaim from "@/app/api/v1/input-requests/[id]/claim/route.ts";
import * as inputRequestComment from "@/app/api/v1/input-requests/[id]/comments/[commentId]/route.ts";
import * as inputRequestComments from "@/app/api/v1/input-requests/[id]/comments/route.ts";
import * as inputRequestDocument from "@/app/api/v1/input-requests/[id]/documents/[documentId]/route.ts";
import * as inputRequestDocuments from "@/app/api/v1/input-requests/[id]/documents/route.ts";
import * as inputRequestDraft from "@/app/api/v1/input-requests/[id]/draft/route.ts";
import * as inputRequestHandOver from "@/app/api/v1/input-requests/[id]/hand-over/route.ts";
import * as inputRequestHasInfo from "@/app/api/v1/input-requests/[id]/has-info/route.ts";
import * as inputRequestJudgeAgain from "@/app/api/v1/input-requests/[id]/judge-again/route.ts";
import * as inputRequestMentionable from "@/app/api/v1/input-requests/[id]/mentionable/route.ts";
import * as inputRequestReceipt from "@/app/api/v1/input-requests/[id]/receipt/route.ts";
import * as inputRequestRelease from "@/app/api/v1/input-requests/[id]/release/route.ts";
import * as inputRequestResend from "@/app/api/v1/input-requests/[id]/resend/route.ts";
import * as inputRequest from "@/app/api/v1/input-requests/[id]/route.ts";
import * as inputRequestSimilar from "@/app/api/v1/input-requests/[id]/similar/route.ts";
import * as inputRequestSnooze from "@/app/api/v1/input-requests/[id]/snooze/route.ts";
import * as inputRequestUndo from "@/app/api/v1/input-requests/[id]/undo/route.ts";
import * as inputRequestVote from "@/app/api/v1/input-requests/[id]/vote/route.ts";
import * as inputRequestsBulkAnswer from "@/app/api/v1/input-requests/bulk-answer/route.ts";
import * as inputRequestsBulkUndo from "@/app/api/v1/input-requests/bulk-undo/route.ts";
import * as inputRequestsCounts from "@/app/api/v1/input-requests/counts/route.ts";
import * as inputRequests from "@/app/api/v1/input-requests/route.ts";
import * as invitation from "@/app/api/v1/invitations/[id]/route.ts";
import * as invitations from "@/app/api/v1/invitations/route.ts";
import * as meAccess from "@/app/api/v1/me/access/route.ts";
import * as meAway from "@/app/api/v1/me/away/route.ts";
import * as meMembership from "@/app/api/v1/me/membership/route.ts";
import * as meNotifications from "@/app/api/v1/me/notifications/route.ts";
import * as meOrganization from "@/app/api/v1/me/organization/route.ts";
import * as mePasskey from "@/app/api/v1/me/passkeys/[id]/route.ts";
import * as mePasskeysOptions from "@/app/api/v1/me/passkeys/options/route.ts";
import * as mePasskeys from "@/app/api/v1/me/passkeys/route.ts";
import * as mePassword from "@/app/api/v1/me/password/route.ts";
import * as mePreferences from "@/app/api/v1/me/preferences/route.ts";
import * as me from "@/app/api/v1/me/route.ts";
import * as samlLink from "@/app/api/v1/me/saml-links/[id]/route.ts";
import * as samlLinks from "@/app/api/v1/me/saml-links/route.ts";
import * as meSecondFactorConfirm from "@/app/api/v1/me/second-factor/confirm/route.ts";
import * as meSecondFactorRecoveryCodes from "@/app/api/v1/me/second-factor/recovery-codes/route.ts";
import * as meSecondFactorRemove from "@/app/api/v1/me/second-factor/remove/route.ts";
import * as meSecondFactor from "@/app/api/v1/me/second-factor/route.ts";
import * as meSecurity from "@/app/api/v1/me/security/route.ts";
import * as meSecurityEvents from "@/app/api/v1/me/security-events/route.ts";
import * as meSession from "@/app/api/v1/me/sessions/[id]/route.ts";
import * as meSessions from "@/app/api/v1/me/sessions/route.ts";
import * as meStepUp from "@/app/api/v1/me/step-up/route.ts";
import * as myViewAs from "@/app/api/v1/me/view-as/route.ts";
import * as memberAway from "@/app/api/v1/members/[id]/away/route.ts";
import * as memberPasswordLink from "@/app/api/v1/members/[id]/password-link/route.ts";
import * as memberReinstate from "@/app/api/v1/members/[id]/reinstate/route.ts";
import * as member from "@/app/api/v1/members/[id]/route.ts";
import * as memberSession from "@/app/api/v1/members/[id]/sessions/[sessionId]/route.ts";
import * as memberSessions from "@/app/api/v1/members/[id]/sessions/route.ts";
import * as memberSuspend from "@/app/api/v1/members/[id]/suspend/route.ts";
import * as memberViewAs from "@/app/api/v1/members/[id]/view-as/route.ts";
import * as memberVouch from "@/app/api/v1/members/[id]/vouch/route.ts";
import * as members from "@/app/api/v1/members/route.ts";
import * as noticeRead from "@/app/api/v1/notices/[id]/read/route.ts";
import * as noticesCounts from "@/app/api/v1/notices/counts/route.ts";
import * as noticesReadAll from "@/app/api/v1/notices/read-all/route.ts";
import * as notices from "@/app/api/v1/notices/route.ts";
import * as onboarding from "@/app/api/v1/onboarding/route.ts";
import * as organizationAddresses from "@/app/api/v1/organization/addresses/route.ts";
import * as organizationContentSealing from "@/app/api/v1/organization/content-sealing/route.ts";
import * as organizationDeletionWithdraw from "@/app/api/v1/organization/deletion/withdraw/route.ts";
import * as organizationDomain from "@/app/api/v1/organization/domains/[id]/route.ts";
import * as organizationDomainVerify from "@/app/api/v1/organization/domains/[id]/verify/route.ts";
import * as organizationDomains from "@/app/api/v1/organization/domains/route.ts";
import * as organizationExport from "@/app/api/v1/organization/export/route.ts";
import * as organizationFourEyesAccept from "@/app/api/v1/organization/four-eyes/accept/route.ts";
import * as organizationFourEyesWithdraw from "@/app/api/v1/organization/four-eyes/withdraw/route.ts";
import * as organizationHold from "@/app/api/v1/organization/hold/route.ts";
import * as organizationRetentionPreview from "@/app/api/v1/organization/retention/preview/route.ts";
import * as organizationRetention from "@/app/api/v1/organization/retention/route.ts";
import * as organization from "@/app/api/v1/organization/route.ts";
import * as organizationSignIn from "@/app/api/v1/organization/sign-in/route.ts";
import * as organizations from "@/app/api/v1/organizations/route.ts";
import * as overview from "@/app/api/v1/overview/route.ts";
import * as pageFailures from "@/app/api/v1/page-failures/route.ts";
import * as people from "@/app/api/v1/people/route.ts";
import * as policyAutomaticDecisions from "@/app/api/v1/policy/automatic/decisions/route.ts";
import * as policyAutomaticResume from "@/app/api/v1/policy/automatic/resume/route.ts";
import * as policyAutomatic from "@/app/api/v1/policy/automatic/route.ts";
import * as policyAutomaticStop from "@/app/api/v1/policy/automatic/stop/route.ts";
import * as policyCheck from "@/app/api/v1/policy/check/route.ts";
import * as policyDeciders from "@/app/api/v1/policy/deciders/route.ts";
import * as approvePolicyProposal from "@/app/api/v1/policy/proposals/[id]/approve/route.ts";
import * as withdrawPolicyProposal from "@/app/api/v1/policy/proposals/[id]/withdraw/route.ts";
import * as policyProposals from "@/app/api/v1/policy/proposals/route.ts";
import * as replayPolicy from "@/app/api/v1/policy/replay/route.ts";
import * as policy from "@/app/api/v1/policy/route.ts";
import * as policyVersion from "@/app/api/v1/policy/versions/[version]/route.ts";
import * as policyVersions from "@/app/api/v1/policy/versions/route.ts";
import * as race from "@/app/api/v1/races/[id]/route.ts";
import * as races from "@/app/api/v1/races/route.ts";
import * as requestConsume from "@/app/api/v1/requests/[id]/consume/route.ts";
import * as requestOfProgram from "@/app/api/v1/requests/[id]/route.ts";
import * as requestsOfPrograms from "@/app/api/v1/requests/route.ts";
import * as samlProviderConfirm from "@/app/api/v1/saml-providers/[id]/confirm/route.ts";
import * as samlProvider from "@/app/api/v1/saml-providers/[id]/route.ts";
import * as samlProviderTest from "@/app/api/v1/saml-providers/[id]/test/route.ts";
import * as samlProviders from "@/app/api/v1/saml-providers/route.ts";
import * as serverCheck from "@/app/api/v1/servers/[id]/check/route.ts";
import * as serverConnect from "@/app/api/v1/servers/[id]/connect/route.ts";
import * as serverConnections from "@/app/api/v1/servers/[id]/connections/route.ts";
import * as serverFoundTaskAdopt from "@/app/api/v1/servers/[id]/found-tasks/[foundId]/adopt/route.ts";
import * as serverFoundTasksRefresh from "@/app/api/v1/servers/[id]/found-tasks/refresh/route.ts";
import * as serverFoundTasks from "@/app/api/v1/servers/[id]/found-tasks/route.ts";
import * as serverPause from "@/app/api/v1/servers/[id]/pause/route.ts";
import * as serverRecipe from "@/app/api/v1/servers/[id]/recipes/[name]/route.ts";
import * as serverRecipeTry from "@/app/api/v1/servers/[id]/recipes/[name]/try/route.ts";
import * as serverRecipes from "@/app/api/v1/servers/[id]/recipes/route.ts";
import * as serverResume from "@/app/api/v1/servers/[id]/resume/route.ts";
import * as server from "@/app/api/v1/servers/[id]/route.ts";
import * as serverStats from "@/app/api/v1/servers/[id]/stats/route.ts";
import * as serverToolVersions from "@/app/api/v1/servers/[id]/tool-versions/route.ts";
import * as serverTools from "@/app/api/v1/servers/[id]/tools/route.ts";
import * as serverTry from "@/app/api/v1/servers/[id]/try/route.ts";
import * as serverProbe from "@/app/api/v1/servers/probe/route.ts";
import * as servers from "@/app/api/v1/servers/route.ts";
import * as serviceAccount from "@/app/api/v1/service-accounts/[id]/route.ts";
import * as serviceAccounts from "@/app/api/v1/service-accounts/route.ts";
import * as stream from "@/app/api/v1/stream/route.ts";
import * as taskAccess from "@/app/api/v1/tasks/[id]/access/route.ts";
import * as taskAcknowledgement from "@/app/api/v1/tasks/[id]/acknowledgement/route.ts";
import * as taskAttempts from "@/app/api/v1/tasks/[id]/attempts/route.ts";
import * as taskCancel from "@/app/api/v1/tasks/[id]/cancel/route.ts";
import * as taskEvents from "@/app/api/v1/tasks/[id]/events/route.ts";
import * as taskMessages from "@/app/api/v1/tasks/[id]/messages/route.ts";
import * as taskPhases from "@/app/api/v1/tasks/[id]/phases/route.ts";
import * as taskRefresh from "@/app/api/v1/tasks/[id]/refresh/route.ts";
import * as taskRestart from "@/app/api/v1/tasks/[id]/restart/route.ts";
import * as task from "@/app/api/v1/tasks/[id]/route.ts";
import * as taskSettleStart from "@/app/api/v1/tasks/[id]/settle-start/route.ts";
import * as tasksCounts from "@/app/api/v1/tasks/counts/route.ts";
import * as tasksExport from "@/app/api/v1/tasks/export/route.ts";
import * as tasksFailures from "@/app/api/v1/tasks/failures/route.ts";
import * as tasksRecentArguments from "@/app/api/v1/tasks/recent-arguments/route.ts";
import * as tasks from "@/app/api/v1/tasks/route.ts";
import * as tasksTotal from "@/app/api/v1/tasks/total/route.ts";
import * as undoWindow from "@/app/api/v1/undo-window/route.ts";
import * as view from "@/app/api/v1/views/[id]/route.ts";
import * as views from "@/app/api/v1/views/route.ts";
import * as webhookDeliveryResend from "@/app/api/v1/webhook-deliveries/[id]/resend/route.ts";
import * as webhookDeliveries from "@/app/api/v1/webhooks/[id]/deliveries/route.ts";
import * as webhookRotateSecret from "@/app/api/v1/webhooks/[id]/rotate-secret/route.ts";
import * as webhook from "@/app/api/v1/webhooks/[id]/route.ts";
import * as webhookTest from "@/app/api/v1/webhooks/[id]/test/route.ts";
import * as webhooks from "@/app/api/v1/webhooks/route.ts";
import * as healthz from "@/app/healthz/route.ts";
import * as metrics from "@/app/metrics/route.ts";
import * as oauthIssuerCallback from "@/app/oauth/callback/[issuer]/route.ts";
import * as oauthCallback from "@/app/oauth/callback/route.ts";
import * as oauthIssuerMetadata from "@/app/oauth/client-metadata/[issuer]/route.ts";
import * as oauthClientMetadata from "@/app/oauth/client-metadata.json/route.ts";
import * as policyFileSchema from "@/app/policy.schema.json/route.ts";
import * as readyz from "@/app/readyz/route.ts";
import type { Paths } from "@/lib/web/http/openapi.ts";

/** All routes of the API; a test compares them with the folders. */
export const paths: Paths = {
  "/api/v1/agent-credentials": agentCredentials,
  "/api/v1/agent-credentials/{id}": agentCredential,
  "/api/v1/agent-sign-ins": agentSignIns,
  "/api/v1/api-keys": apiKeys,
  "/api/v1/api-keys/{id}": apiKey,
  "/api/v1/api-keys/{id}/rotate": apiKeyRotate,
  "/api/v1/api-keys/{id}/previous-secret": apiKeyPreviousSecret,
  "/api/v1/service-accounts": serviceAccounts,
  "/api/v1/service-accounts/{id}": serviceAccount,
  "/api/v1/bulk-operations": bulkOperations,
  "/api/v1/policy": policy,
  "/api/v1/calendar": calendar,
  "/api/v1/policy/automatic": policyAutomatic,
  "/api/v1/policy/automatic/decisions": policyAutomaticDecisions,
  "/api/v1/policy/automatic/resume": policyAutomaticResume,
  "/api/v1/policy/automatic/stop": policyAutomaticStop,
  "/api/v1/policy/proposals": policyProposals,
  "/api/v1/policy/proposals/{id}/approve": approvePolicyProposal,
  "/api/v1/policy/proposals/{id}/withdraw": withdrawPolicyProposal,
  "/api/v1/policy/replay": replayPolicy,
  "/api/v1/policy/versions": policyVersions,
  "/api/v1/groups": groups,
  "/api/v1/groups/{id}": group,
  "/api/v1/policy/versions/{version}": policyVersion,
  "/api/v1/policy/check": policyCheck,
  "/api/v1/policy/deciders": policyDeciders,
  "/api/v1/call-rules": callRules,
  "/api/v1/call-rules/try": callRulesTry,
  "/api/v1/bulk-operations/{id}": bulkOperation,
  "/api/v1/bulk-operations/{id}/begin": bulkOperationBegin,
  "/api/v1/bulk-operations/{id}/items": bulkOperationItems,
  "/api/v1/bulk-operations/{id}/stop": bulkOperationStop,
  "/api/v1/connections/{id}": connection,
  "/api/v1/decline-reasons": declineReasons,
  "/api/v1/events": events,
  "/api/v1/events/export": eventsExport,
  "/api/v1/events/verify": eventsVerify,
  "/api/v1/input-requests": inputRequests,
  "/api/v1/input-requests/{id}": inputRequest,
  "/api/v1/input-requests/{id}/answer": inputRequestAnswer,
  "/api/v1/input-requests/{id}/ask-requester": inputRequestAskRequester,
  "/api/v1/input-requests/{id}/assign": inputRequestAssign,
  "/api/v1/input-requests/{id}/claim": inputRequestClaim,
  "/api/v1/input-requests/{id}/comments": inputRequestComments,
  "/api/v1/input-requests/{id}/comments/{commentId}": inputRequestComment,
  "/api/v1/input-requests/{id}/documents": inputRequestDocuments,
  "/api/v1/input-requests/{id}/documents/{documentId}": inputRequestDocument,
  "/api/v1/input-requests/{id}/draft": inputRequestDraft,
  "/api/v1/input-requests/{id}/hand-over": inputRequestHandOver,
  "/api/v1/input-requests/{id}/has-info": inputRequestHasInfo,
  "/api/v1/input-requests/{id}/mentionable": inputRequestMentionable,
  "/api/v1/input-requests/{id}/receipt": inputRequestReceipt,
  "/api/v1/input-requests/{id}/release": inputRequestRelease,
  "/api/v1/input-requests/{id}/resend": inputRequestResend,
  "/api/v1/input-requests/{id}/similar": inputRequestSimilar,
  "/api/v1/input-requests/{id}/snooze": inputRequestSnooze,
  "/api/v1/input-requests/{id}/undo": inputRequestUndo,
  "/api/v1/input-requests/{id}/vote": inputRequestVote,
  "/api/v1/input-requests/{id}/judge-again": inputRequestJudgeAgain,
  "/api/v1/input-requests/bulk-answer": inputRequestsBulkAnswer,
  "/api/v1/input-requests/bulk-undo": inputRequestsBulkUndo,
  "/api/v1/input-requests/counts": inputRequestsCounts,
  "/api/v1/invitations": invitations,
  "/api/v1/invitations/{id}": invitation,
  "/api/v1/me": me,
  "/api/v1/me/access": meAccess,
  "/api/v1/me/away": meAway,
  "/api/v1/me/membership": meMembership,
  "/api/v1/me/notifications": meNotifications,
  "/api/v1/me/organization": meOrganization,
  "/api/v1/me/preferences": mePreferences,
  "/api/v1/me/passkeys/{id}": mePasskey,
  "/api/v1/me/passkeys/options": mePasskeysOptions,
  "/api/v1/me/passkeys": mePasskeys,
  "/api/v1/me/password": mePassword,
  "/api/v1/me/second-factor/confirm": meSecondFactorConfirm,
  "/api/v1/me/second-factor/recovery-codes": meSecondFactorRecoveryCodes,
  "/api/v1/me/second-factor/remove": meSecondFactorRemove,
  "/api/v1/me/second-factor": meSecondFactor,
  "/api/v1/me/security": meSecurity,
  "/api/v1/me/security-events": meSecurityEvents,
  "/api/v1/me/sessions/{id}": meSession,
  "/api/v1/me/sessions": meSessions,
  "/api/v1/me/step-up": meStepUp,
  "/api/v1/me/view-as": myViewAs,
  "/api/v1/members": members,
  "/api/v1/members/{id}": member,
  "/api/v1/members/{id}/away": memberAway,
  "/api/v1/members/{id}/password-link": memberPasswordLink,
  "/api/v1/members/{id}/reinstate": memberReinstate,
  "/api/v1/members/{id}/sessions": memberSessions,
  "/api/v1/members/{id}/sessions/{sessionId}": memberSession,
  "/api/v1/members/{id}/suspend": memberSuspend,
  "/api/v1/members/{id}/view-as": memberViewAs,
  "/api/v1/members/{id}/vouch": memberVouch,
  "/api/v1/notices": notices,
  "/api/v1/notices/{id}/read": noticeRead,
  "/api/v1/notices/counts": noticesCounts,
  "/api/v1/notices/read-all": noticesReadAll,
  "/api/v1/onboarding": onboarding,
  "/api/v1/organization": organization,
  "/api/v1/organization/addresses": organizationAddresses,
  "/api/v1/organization/content-sealing": organizationContentSealing,
  "/api/v1/organization/deletion/withdraw": organizationDeletionWithdraw,
  "/api/v1/organization/domains": organizationDomains,
  "/api/v1/organization/domains/{id}": organizationDomain,
  "/api/v1/organization/domains/{id}/verify": organizationDomainVerify,
  "/api/v1/organization/sign-in": organizationSignIn,
  "/api/v1/organization/export": organizationExport,
  "/api/v1/organization/four-eyes/accept": organizationFourEyesAccept,
  "/api/v1/organization/four-eyes/withdraw": organizationFourEyesWithdraw,
  "/api/v1/organization/hold": organizationHold,
  "/api/v1/organization/retention": organizationRetention,
  "/api/v1/organization/retention/preview": organizationRetentionPreview,
  "/api/v1/organizations": organizations,
  "/api/v1/overview": overview,
  "/api/v1/people": people,
  "/api/v1/requests": requestsOfPrograms,
  "/api/v1/requests/{id}": requestOfProgram,
  "/api/v1/requests/{id}/consume": requestConsume,
  "/api/v1/races": races,
  "/api/v1/races/{id}": race,
  "/api/v1/page-failures": pageFailures,
  "/api/v1/servers": servers,
  "/api/v1/servers/probe": serverProbe,
  "/api/v1/servers/{id}": server,
  "/api/v1/servers/{id}/check": serverCheck,
  "/api/v1/servers/{id}/connect": serverConnect,
  "/api/v1/servers/{id}/connections": serverConnections,
  "/api/v1/servers/{id}/found-tasks": serverFoundTasks,
  "/api/v1/servers/{id}/found-tasks/refresh": serverFoundTasksRefresh,
  "/api/v1/servers/{id}/found-tasks/{foundId}/adopt": serverFoundTaskAdopt,
  "/api/v1/servers/{id}/pause": serverPause,
  "/api/v1/servers/{id}/recipes": serverRecipes,
  "/api/v1/servers/{id}/recipes/{name}": serverRecipe,
  "/api/v1/servers/{id}/recipes/{name}/try": serverRecipeTry,
  "/api/v1/servers/{id}/resume": serverResume,
  "/api/v1/servers/{id}/stats": serverStats,
  "/api/v1/servers/{id}/try": serverTry,
  "/api/v1/servers/{id}/tool-versions": serverToolVersions,
  "/api/v1/servers/{id}/tools": serverTools,
  "/api/v1/stream": stream,
  "/api/v1/tasks": tasks,
  "/api/v1/tasks/{id}": task,
  "/api/v1/tasks/{id}/access": taskAccess,
  "/api/v1/tasks/{id}/acknowledgement": taskAcknowledgement,
  "/api/v1/tasks/{id}/attempts": taskAttempts,
  "/api/v1/tasks/{id}/cancel": taskCancel,
  "/api/v1/tasks/{id}/events": taskEvents,
  "/api/v1/tasks/{id}/messages": taskMessages,
  "/api/v1/tasks/{id}/phases": taskPhases,
  "/api/v1/tasks/{id}/refresh": taskRefresh,
  "/api/v1/tasks/{id}/restart": taskRestart,
  "/api/v1/tasks/{id}/settle-start": taskSettleStart,
  "/api/v1/tasks/counts": tasksCounts,
  "/api/v1/tasks/failures": tasksFailures,
  "/api/v1/tasks/recent-arguments": tasksRecentArguments,
  "/api/v1/tasks/total": tasksTotal,
  "/api/v1/tasks/export": tasksExport,
  "/api/v1/undo-window": undoWindow,
  "/api/v1/views": views,
  "/api/v1/views/{id}": view,
  "/api/v1/directory": directory,
  "/api/v1/directory/token": directoryToken,
  "/api/v1/directory/groups": directoryGroups,
  "/api/v1/directory/groups/{id}": directoryGroup,
  "/api/v1/audit-streams": auditStreams,
  "/api/v1/audit-streams/{id}": auditStream,
  "/api/v1/audit-streams/{id}/test": auditStreamTest,
  "/api/v1/webhook-deliveries/{id}/resend": webhookDeliveryResend,
  "/api/v1/webhooks": webhooks,
  "/api/v1/webhooks/{id}": webhook,
  "/api/v1/webhooks/{id}/deliveries": webhookDeliveries,
  "/api/v1/webhooks/{id}/rotate-secret": webhookRotateSecret,
  "/api/v1/webhooks/{id}/test": webhookTest,
  "/api/v1/me/saml-links": samlLinks,
  "/api/v1/me/saml-links/{id}": samlLink,
  "/api/v1/saml-providers": samlProviders,
  "/api/v1/saml-providers/{id}": samlProvider,
  "/api/v1/saml-providers/{id}/confirm": samlProviderConfirm,
  "/api/v1/saml-providers/{id}/test": samlProviderTest,
  "/api/auth/saml/{id}/acs": samlAcs,
  "/api/auth/saml/{id}/finish": samlFinish,
  "/api/auth/saml/{id}/metadata": samlMetadata,
  "/api/auth/saml/{id}/start": samlStart,
  "/api/engine/run": engineRun,
  "/api/join": join,
  "/api/join/account": joinAccount,
  "/api/join/look": joinLook,
  "/api/forgot-password": forgotPassword,
  "/api/set-password": setPassword,
  "/api/set-password/look": setPasswordLook,
  "/api/setup": setup,
  "/api/sign-in/passkey": signInPasskey,
  "/api/sign-in/way": signInWay,
  "/healthz": healthz,
  "/metrics": metrics,
  "/oauth/callback": oauthCallback,
  "/oauth/callback/{issuer}": oauthIssuerCallback,
  "/.well-known/jwks.json": jwks,
  "/policy.schema.json": policyFileSchema,
  "/oauth/client-metadata.json": oauthClientMetadata,
  "/oauth/client-metadata/{issuer}": oauthIssuerMetadata,
  "/readyz": readyz,
};
