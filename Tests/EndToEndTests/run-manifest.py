"""Checks Simulations/cluster/kubernetes.yaml as far as that is possible without Kubernetes, and runs what its
containers run, once for each index.

    run-manifest.py MANIFEST RESULTS EARSHOT
"""
import os
import subprocess
import sys
import tempfile
import yaml

# What the API has (https://kubernetes.io/docs/reference/kubernetes-api, 1.29), as far as the manifest uses it: for each
# object its keys; a text names another object, [text] a list of them, a type a value.
POD = {"restartPolicy": str, "terminationGracePeriodSeconds": int, "activeDeadlineSeconds": int,
       "securityContext": {"fsGroup": int, "runAsNonRoot": bool, "runAsUser": int},
       "containers": [{"name": str, "image": str, "command": [str], "args": [str],
                       "env": [{"name": str, "value": str}],
                       "resources": {"requests": {"cpu": str, "memory": str},
                                     "limits": {"cpu": str, "memory": str}},
                       "volumeMounts": [{"name": str, "mountPath": str}]}],
       "volumes": [{"name": str, "persistentVolumeClaim": {"claimName": str}}]}
KINDS = {
    "Job": ("batch/v1", {"completionMode": str, "completions": int, "parallelism": int, "suspend": bool,
                         "backoffLimit": int, "backoffLimitPerIndex": int, "maxFailedIndexes": int,
                         "ttlSecondsAfterFinished": int, "template": {"spec": POD}}),
    "PersistentVolumeClaim": ("v1", {"accessModes": [str], "resources": {"requests": {"storage": str}}}),
}


def check(value, wanted, where):
    if isinstance(wanted, dict):
        assert isinstance(value, dict), f"{where} is no object"
        for key, member in value.items():
            assert key in wanted, f"{where} has no {key}"
            check(member, wanted[key], f"{where}.{key}")
    elif isinstance(wanted, list):
        assert isinstance(value, list), f"{where} is no list"
        for index, member in enumerate(value):
            check(member, wanted[0], f"{where}[{index}]")
    else:
        assert type(value) is wanted, f"{where} is no {wanted.__name__}: {value!r}"


def pod(job, claims):
    spec = job["spec"]["template"]["spec"]
    assert spec["restartPolicy"] == "Never", "with Always or OnFailure no pod of a job is counted by its index"
    volumes = {volume["name"]: volume["persistentVolumeClaim"]["claimName"] for volume in spec["volumes"]}
    assert set(volumes.values()) <= claims, "a claim that is not made"
    (container,) = spec["containers"]
    mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert set(mounts) == set(volumes), "a volume that is not mounted"
    environment = {variable["name"]: variable["value"] for variable in container["env"]}
    assert environment["RESULTS"] in mounts.values(), "results that end with the pod"
    return container["command"], environment


def main(manifest, results, earshot):
    with open(manifest, encoding="utf-8") as file:
        documents = list(yaml.safe_load_all(file))
    for document in documents:
        version, spec = KINDS[document["kind"]]
        assert document["apiVersion"] == version
        check(document, {"apiVersion": str, "kind": str, "metadata": {"name": str}, "spec": spec},
              document["metadata"]["name"])
    claims = {document["metadata"]["name"] for document in documents if document["kind"] != "Job"}
    explore, merge = (document for document in documents if document["kind"] == "Job")
    spec = explore["spec"]
    command, environment = pod(explore, claims)
    assert spec["completionMode"] == "Indexed", "each pod would be the same shard"
    assert int(environment["SHARDS"]) == spec["completions"], "shards that no pod explores"
    assert spec["parallelism"] <= spec["completions"]
    assert "backoffLimitPerIndex" in spec and spec["maxFailedIndexes"] == spec["completions"], \
        "one index that fails would end the others"
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(earshot, f"{folder}/earshot")
        path = {"PATH": f"{folder}:{os.environ['PATH']}"}
        here = {"SEEDS": "0...79", "RESULTS": results, "SCENARIOS": os.environ["SCENARIOS"]}
        for index in range(spec["completions"]):
            subprocess.run(command, env=environment | here | path | {"JOB_COMPLETION_INDEX": str(index)}, check=True)
        command, environment = pod(merge, claims)
        subprocess.run(command, env=environment | here | path, check=True)


main(*sys.argv[1:])
