import { refuseMissing, type Cdk } from "../../model/cdk";

/** The name of the CDK that the constructs of this entry point load. */
export const CDK: Cdk = "cdktf";

refuseMissing(CDK);
