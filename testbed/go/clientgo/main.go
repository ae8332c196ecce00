// Command clientgo does with a cluster what controllers written in Go do: it lists, watches and
// applies with client-go, and prints what it saw, a line each. The twin is tested with it.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const name = "made-by-client-go"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: clientgo KUBECONFIG NAMESPACE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, namespace string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := list(ctx, client); err != nil {
		return err
	}
	events, err := watch(ctx, client, namespace)
	if err != nil {
		return err
	}
	return apply(ctx, client, namespace, events)
}

// list reads the nodes page by page, as a typed list.
func list(ctx context.Context, client kubernetes.Interface) error {
	options := metav1.ListOptions{Limit: 2}
	for {
		page, err := client.CoreV1().Nodes().List(ctx, options)
		if err != nil {
			return err
		}
		for _, node := range page.Items {
			fmt.Println("node", node.Name, node.Status.NodeInfo.KubeletVersion)
		}
		if page.Continue == "" {
			return nil
		}
		options.Continue = page.Continue
	}
}

// watch starts an informer of one ConfigMap; what it hears of comes through the channel.
func watch(ctx context.Context, client kubernetes.Interface, namespace string) (<-chan string, error) {
	events := make(chan string, 16)
	factory := informers.NewSharedInformerFactoryWithOptions(
		client, 0,
		informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector("metadata.name", name).String()
		}),
	)
	informer := factory.Core().V1().ConfigMaps().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { events <- told("added", object) },
		UpdateFunc: func(_, object any) { events <- told("updated", object) },
		DeleteFunc: func(object any) { events <- told("deleted", object) },
	})
	if err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return nil, fmt.Errorf("the informer has not synced: %w", ctx.Err())
	}
	return events, nil
}

func told(what string, object any) string {
	found, ok := object.(*corev1.ConfigMap)
	if !ok {
		return fmt.Sprintf("%s %T", what, object)
	}
	return fmt.Sprintf("%s %s key=%s", what, found.Name, found.Data["key"])
}

// apply writes one object server-side as two managers, and waits for the events of each write.
func apply(ctx context.Context, client kubernetes.Interface, namespace string, events <-chan string) error {
	maps := client.CoreV1().ConfigMaps(namespace)
	wanted := func(value string) *applycorev1.ConfigMapApplyConfiguration {
		return applycorev1.ConfigMap(name, namespace).WithData(map[string]string{"key": value})
	}
	if _, err := maps.Apply(ctx, wanted("one"), metav1.ApplyOptions{FieldManager: "first"}); err != nil {
		return err
	}
	if err := hear(ctx, events); err != nil {
		return err
	}
	_, err := maps.Apply(ctx, wanted("two"), metav1.ApplyOptions{FieldManager: "second"})
	fmt.Println("conflict", apierrors.IsConflict(err), err)
	_, err = maps.Apply(ctx, wanted("two"), metav1.ApplyOptions{FieldManager: "second", Force: true})
	if err != nil {
		return err
	}
	if err := hear(ctx, events); err != nil {
		return err
	}
	if err := maps.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	return hear(ctx, events)
}

func hear(ctx context.Context, events <-chan string) error {
	select {
	case event := <-events:
		fmt.Println("event", event)
		return nil
	case <-ctx.Done():
		return fmt.Errorf("no event came: %w", ctx.Err())
	}
}
