import type { AnyOfficeTool } from "../tool.ts";
import { approveExpense } from "./approve-expense.ts";
import { chooseSupplier } from "./choose-supplier.ts";
import { confirmBankDetails } from "./confirm-bank-details.ts";
import { convertCurrency } from "./convert-currency.ts";
import { reconcileStatement } from "./reconcile-statement.ts";
import { releasePaymentRun } from "./release-payment-run.ts";

export const officeTools: AnyOfficeTool[] = [
  approveExpense,
  chooseSupplier,
  confirmBankDetails,
  convertCurrency,
  releasePaymentRun,
  reconcileStatement,
];
